import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Builds the pages for end users and operators if they are missing or older than their sources. It runs in a process of
 * its own, so that the server's memory stays free of the builder. A server without pages still serves everything else.
 */
const SITES = { journey: 'the pages of the journey', console: 'the console' } as const;

/** Resolves to the reason if one of them failed. */
export async function buildPages(say: (line: string) => void): Promise<string | undefined> {
  const faults: string[] = [];
  for (const [name, what] of Object.entries(SITES)) {
    const failed = await buildOne(fileURLToPath(new URL(`../../${name}/build.ts`, import.meta.url)), what, say);
    if (failed) faults.push(`${what}: ${failed}`);
  }
  return faults.length > 0 ? faults.join('; ') : undefined;
}

async function buildOne(file: string, what: string, say: (line: string) => void): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const { isFresh } = (await import(pathToFileURL(file).href)) as { isFresh(): boolean };
  if (isFresh()) return undefined;
  const startedAt = performance.now();
  say(`Building ${what} …`);
  const failed = await run(file);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (!failed) say(`Built them in ${seconds} s.`);
  return failed;
}

/** Resolves to the output of a failed build; undefined if it succeeded. */
function run(file: string): Promise<string | undefined> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errorOutput = '';
    child.stderr.on('data', (bytes: Buffer) => {
      errorOutput = `${errorOutput}${bytes}`.slice(-2000);
    });
    child.on('error', (error) => done(error.message));
    child.on('exit', (code) => done(code === 0 ? undefined : errorOutput.trim() || `exit code ${code}`));
  });
}
