/**
 * Jobs that wait, in one line for each owner. A batch takes one job from each line in turn, so that an owner with many jobs
 * does not block the others. An owner may have no more jobs than there are free places.
 */
export type WaitingLines<Job> = {
  /** False if there is no room for it. */
  add(owner: string, job: Job): boolean;
  take(most: number): Waiting<Job>[];
  /** Returns the jobs of a batch for which there was no time to the head of their lines. Owners that had a turn come last. */
  putBack(unserved: readonly Waiting<Job>[], served: readonly Waiting<Job>[]): void;
  readonly size: number;
  /** Whether another owner waits. */
  hasOthersThan(owner: string): boolean;
};

export type Waiting<Job> = { readonly owner: string; readonly job: Job };

/** The owner of jobs that belong to no tenant; they may fill all places. */
export const OF_INSTALLATION = '';

export function waitingLines<Job>(places: number): WaitingLines<Job> {
  const lines = new Map<string, Job[]>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    hasOthersThan: (owner) => lines.size > (lines.has(owner) ? 1 : 0),
    add(owner, job) {
      const line = lines.get(owner);
      const own = owner === OF_INSTALLATION ? 0 : (line?.length ?? 0);
      if (own >= places - size) return false;
      size += 1;
      if (line) line.push(job);
      else lines.set(owner, [job]);
      return true;
    },
    take(most) {
      const counts = new Map<string, number>();
      const turns: string[] = [];
      for (let round = 0; turns.length < Math.min(most, size); round++) {
        for (const [owner, { length }] of lines) {
          if (length <= round || turns.length >= most) continue;
          turns.push(owner);
          counts.set(owner, round + 1);
        }
      }
      const takenJobs = new Map<string, Iterator<Job>>();
      for (const [owner, count] of counts) {
        const line = lines.get(owner) as Job[];
        takenJobs.set(owner, line.splice(0, count).values());
        if (line.length === 0) lines.delete(owner);
      }
      size -= turns.length;
      return turns.map((owner) => ({ owner, job: takenJobs.get(owner)?.next().value as Job }));
    },
    putBack(unserved, served) {
      size += unserved.length;
      for (const [owner, all] of Map.groupBy(unserved, (each) => each.owner)) {
        lines.set(owner, [...all.map(({ job }) => job), ...(lines.get(owner) ?? [])]);
      }
      for (const owner of new Set(served.map((each) => each.owner))) {
        const line = lines.get(owner);
        if (!line) continue;
        lines.delete(owner);
        lines.set(owner, line);
      }
    },
  };
}
