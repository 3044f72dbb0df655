/**
 * Runs a process under measurement: it prints one line when it is ready, and it ends when the bench asks it to, or when the
 * bench has ended for whatever reason.
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
