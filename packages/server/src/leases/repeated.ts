import { outageLog, type QueueLog } from './log.ts';

/** Runs work at intervals until it is stopped, and logs the first of several failures. `stop` waits for runs that have begun. */
export function openRepeated(log: QueueLog) {
  const timers: NodeJS.Timeout[] = [];
  const underWay = new Set<Promise<void>>();
  return {
    start(everyMs: number, work: () => Promise<void>, fault: string) {
      const outage = outageLog(log, { fault });
      const once = () => {
        const pass = work()
          .then(outage.worked, outage.failed)
          .finally(() => underWay.delete(pass));
        underWay.add(pass);
      };
      once();
      timers.push(setInterval(once, everyMs).unref());
    },
    async stop() {
      for (const timer of timers.splice(0)) clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
