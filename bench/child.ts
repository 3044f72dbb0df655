/**
 * The manners of a process under measurement: it says on one line that it is ready, and it ends when it is asked to, or
 * when the bench is gone, however that ended.
 */
export function serveUntilAsked(ready: { port: number }, stop: () => Promise<void>): void {
  let stopping = false;
  const end = () => {
    if (stopping) return;
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', end);
  // A terminal sends SIGINT to the whole group; the bench decides when its children end.
  process.on('SIGINT', () => undefined);
  process.stdin.once('end', end).resume();
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}
