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
  const counts = new Map<string, number>();
  const countOf = (name: string) => counts.get(name) ?? 0;
  const add = (names: readonly string[], change: 1 | -1) => {
    for (const name of names) {
      const count = countOf(name) + change;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    }
  };
  return {
    take(tenant, part) {
      const names = ['', tenant, `${tenant}/${part}`];
      const [all, ofTenant, ofPart] = names.map(countOf) as [number, number, number];
      if (ofTenant >= most - all || ofPart >= most / 2 - ofTenant) return undefined;
      add(names, 1);
      return () => add(names, -1);
    },
  };
}
