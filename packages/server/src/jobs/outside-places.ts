import { countUnderWay } from '../kernel/under-way.ts';

/**
 * Limits the jobs that wait for a server outside at the same time. Such a job leaves its place to others, so a service that
 * does not answer delays only its own callers: otherwise sixteen steps of a test key stopped the jobs of all tenants for
 * half a minute. A tenant may have as many waiting jobs as it leaves free, which is at most half; a part of it (an
 * environment, an identity store) gets at most half of that.
 */
export type OutsidePlaces = {
  /** Returns a function that gives the place back; undefined if the tenant or the part has too many. */
  take(tenant: string, part: string): (() => void) | undefined;
};

/** The number of waiting jobs for each job that runs at once. */
const OUTSIDE_PER_PLACE = 4;

export function openOutsidePlaces(concurrency: number): OutsidePlaces {
  const most = OUTSIDE_PER_PLACE * concurrency;
  const jobs = countUnderWay();
  return {
    take(tenant, part) {
      const names = ['', tenant, `${tenant}/${part}`];
      const [all, ofTenant, ofPart] = names.map(jobs.count) as [number, number, number];
      if (ofTenant >= most - all || ofPart >= most / 2 - ofTenant) return undefined;
      return jobs.enter(...names);
    },
  };
}
