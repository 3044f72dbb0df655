import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Builds the pages of the end user when they are missing or older than their sources. In a process of its own, so that
 * the server does not carry the builder along. A server without pages still serves everything else.
 */
const BUILD = fileURLToPath(new URL('../../journey/build.ts', import.meta.url));

/** The reason if it failed. */
export async function buildPages(say: (line: string) => void): Promise<string | undefined> {
  if (!existsSync(BUILD)) return undefined;
  const { isFresh } = (await import(pathToFileURL(BUILD).href)) as { isFresh(): boolean };
  if (isFresh()) return undefined;
  const started = performance.now();
  say('Building the pages of the journey …');
  const failed = await run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (!failed) say(`Built them in ${seconds} s.`);
  return failed;
}

/** What went wrong, if anything did. */
function run(): Promise<string | undefined> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      said = `${said}${bytes}`.slice(-2000);
    });
    child.on('error', (error) => done(error.message));
    child.on('exit', (code) => done(code === 0 ? undefined : said.trim() || `exit code ${code}`));
  });
}
