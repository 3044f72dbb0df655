import pino, { type DestinationStream } from 'pino';

/** How much waits in memory for a log that cannot be written. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A reader that is slow is given three tenths of a second; after that its lines wait in memory. */
const MAX_TRIES = 3;

/**
 * Where the log is written. Lines that cannot be written, because the disk is full or nobody reads, wait in memory; what does
 * not fit is counted and the count is logged when the log can be written again. No request and no process ends by its log.
 */
export function openLogLines(fd: number): DestinationStream {
  let dropped = 0;
  let tries = 0;
  const lines = pino.destination({
    fd,
    sync: true,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => ++tries % MAX_TRIES !== 0,
  });
  lines.on('error', () => undefined);
  lines.on('drop', () => {
    dropped += 1;
  });
  lines.on('write', () => {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    const time = new Date().toISOString();
    lines.write(
      `${JSON.stringify({ level: 40, time, lines: count, msg: 'log lines were lost: the log could not be written' })}\n`,
    );
  });
  return lines;
}
