import type { QueueLog } from './log.ts';

/** Work that is done now and again until it is stopped; what has begun by then is waited for. */
export function openRepeated(log: QueueLog) {
  const timers: NodeJS.Timeout[] = [];
  const underWay = new Set<Promise<void>>();
  return {
    start(everyMs: number, work: () => Promise<void>, fault: string) {
      const once = () => {
        const pass = work()
          .catch((error) => log.error({ err: error }, fault))
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
