import { createInterface } from 'node:readline/promises';

/** Asks on standard error, apart from the result. True if the person types the expected text. */
export async function confirmByTyping(question: string, expected: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<undefined>((done) => terminal.once('close', () => done(undefined)));
    const answer = await Promise.race([terminal.question(question), closed]);
    return answer?.trim() === expected.trim();
  } finally {
    terminal.close();
  }
}
