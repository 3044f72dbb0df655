/** Shows progress on one line that is overwritten on a terminal; elsewhere it prints a line now and then. */
export function newProgress(name: string, all: number) {
  const started = Date.now();
  const isTerminal = process.stderr.isTTY;
  const every = Math.max(1, Math.ceil(all / 5));
  return {
    show(done: number, words: string): void {
      const secondsLeft = Math.round((((Date.now() - started) / done) * (all - done)) / 1000);
      const line = `${name}: ${done} of ${all}, ${words}, ${secondsLeft} s left`;
      if (isTerminal) process.stderr.write(`\r${line.padEnd(79)}`);
      else if (done % every === 0 || done === all) process.stderr.write(`${line}\n`);
    },
    end(): void {
      if (isTerminal) process.stderr.write('\n');
    },
  };
}
