/**
 * Shows the progress of a long command on standard error: at a terminal as one changing line with the remaining time,
 * elsewhere as occasional plain lines. Elsewhere, a command of a few seconds prints nothing.
 */
export type ProgressLine = {
  /** Another `stage` restarts the estimate. */
  show(stage: string, done: number, total: number): void;
  /** Clears the line of a terminal. */
  end(): void;
};

const TERMINAL_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5000;
/** An estimate from less time than this is a guess. */
const MIN_ESTIMATE_MS = 1000;
const CLEAR_LINE = '\r\u001b[K';

export type ProgressOutput = { isTTY?: boolean; write(text: string): unknown };

export function progressLine(output: ProgressOutput = process.stderr, now = () => performance.now()): ProgressLine {
  const terminal = output.isTTY === true;
  const everyMs = terminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS;
  let lastShownAt = now();
  let stage = '';
  let begin = { at: now(), done: 0 };
  let isDrawn = false;
  return {
    show(name, done, total) {
      const at = now();
      if (name !== stage) [stage, begin] = [name, { at, done }];
      if (at - lastShownAt < everyMs) return;
      lastShownAt = at;
      const timeText = timeLeft(at - begin.at, done - begin.done, total - done);
      const text = `${name}: ${percent(done, total)} (${count(done)} of ${count(total)})${timeText}`;
      output.write(terminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
      isDrawn = terminal;
    },
    end() {
      if (isDrawn) output.write(CLEAR_LINE);
      isDrawn = false;
    },
  };
}

const percent = (done: number, total: number) => `${total === 0 ? 100 : Math.floor((done / total) * 100)} %`;
const count = (number: number) => number.toLocaleString('en-GB');

function timeLeft(elapsedMs: number, done: number, remaining: number): string {
  if (elapsedMs < MIN_ESTIMATE_MS || done <= 0 || remaining <= 0) return '';
  return `, ${duration((elapsedMs / done) * remaining)} left`;
}

export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
