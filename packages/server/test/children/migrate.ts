import { once } from 'node:events';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/open.ts';

/** Migrates the database when it gets a message, and writes how many migrations it applied. */
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const { pending } = await migrate(readConfig(process.env).database);
process.stdout.write(`${pending.length}\n`);
process.stdin.destroy();
