import { countUnderWay } from '../kernel/under-way.ts';

/**
 * How many jobs may wait for somebody else's server at once. Such a job leaves its place to others, so a service that
 * does not answer delays only those who ask it: without this, sixteen steps of a test key stopped the jobs of all tenants
 * for half a minute. A tenant may have as many as it leaves free; so may each part of it, of the half that one tenant can
 * have. A part is an environment, or an identity store.
 */
export type OutsidePlaces = {
  /** Returns a function that gives the place back; undefined if the tenant or the part has too many. */
  take(tenant: string, part: string): (() => void) | undefined;
};

/** For each job that runs at once. */
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
