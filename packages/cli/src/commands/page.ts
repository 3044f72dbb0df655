import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import { type CommonOptions, define, defineGroup, examples, print } from '../output.ts';

/** Commands for custom pages before their upload. */
type DevOptions = CommonOptions & { port: string };

const DEFAULT_PORT = '4600';

export function definePage(program: Command): void {
  const page = defineGroup(program, 'page', 'custom pages: try one before it is uploaded');
  define(page, 'dev <folder>', 'show a custom page as a journey would, and check it as an upload would be')
    .option('--port <port>', 'where to listen; 0 picks a free one', DEFAULT_PORT)
    .addHelpText(
      'after',
      `${examples('grove page dev ./pages/questions')}
It needs no server. The page runs in the sandbox of a journey, is given the constants that you type, and everything that it
says is written down. It is loaded again when a file changes.`,
    )
    .action(dev);
}

async function dev(folder: string, { json, port }: DevOptions): Promise<void> {
  const pageFolder = resolve(folder);
  if (!existsSync(pageFolder) || !statSync(pageFolder).isDirectory()) throw new UsageError(`${folder} is not a folder`);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError('--port must be a port');
  // These modules depend on the server, which takes long to load.
  const { readPageFolder } = await import('../page-tester/read-page-folder.ts');
  const { startTester } = await import('../page-tester/tester.ts');
  const { fault } = await readPageFolder(pageFolder);
  const { url } = await startTester({ folder: pageFolder, port: Number(port) });
  const warning = fault ? `An upload of this folder would be refused: ${fault.message}.\n` : '';
  const text = `${warning}The page is shown at ${url}\nStop with Ctrl-C.\n`;
  print({ ...(json && { json }) }, { value: { url, ...(fault && { fault }) }, text });
}
