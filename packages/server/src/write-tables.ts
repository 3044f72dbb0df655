import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { openApp } from './app.ts';
import { readConfig } from './config.ts';
import { configurationTable } from './configuration-table.ts';
import { prepareInstallation } from './installation.ts';
import { jobTable } from './jobs/job-table.ts';
import { measuredTable } from './process-manager/assurance/measured-table.ts';
import { settingsTable, stepTable } from './process-manager/definitions/step-table.ts';

/** Writes the tables that the code declares into the pages of the documentation, between their marks; `--check` compares. */
const tables = [
  ['definitions.md', 'steps', stepTable()],
  ['definitions.md', 'settings', settingsTable()],
  ['vision.md', 'measured', measuredTable()],
  ['configuration.md', 'variables', configurationTable()],
  ['operating.md', 'jobs', await jobs()],
] as const;

for (const [name, mark, table] of tables) {
  const path = new URL(`../../../docs/${name}`, import.meta.url);
  const between = new RegExp(`(<!-- ${mark} -->\n+)[^]*?(\n+<!-- /${mark} -->)`);
  const page = readFileSync(path, 'utf8');
  const fresh = page.replace(between, (_, before: string, after: string) => `${before}${table}${after}`);
  if (!between.test(page)) throw new Error(`docs/${name} has no marks for ${mark}`);
  if (fresh === page) continue;
  if (process.argv.includes('--check')) {
    console.error(`the table ${mark} of docs/${name} is stale: run node packages/server/src/write-tables.ts`);
    process.exitCode = 1;
  } else writeFileSync(path, fresh);
}

/** The kinds of jobs that the features of an application declare. */
async function jobs(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-tables-'));
  try {
    const config = readConfig({ GROVE_DATA: folder, GROVE_VISION: 'off', PORT: '0' });
    await prepareInstallation(config);
    const app = await openApp(config, { log: pino({ level: 'silent' }) });
    const table = jobTable(app.jobs.kinds());
    await app.stop();
    return table;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
