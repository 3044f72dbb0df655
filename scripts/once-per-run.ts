import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';

/**
 * Shares a value that several test files need and that takes seconds to make, such as the frames of a film. The first file
 * that needs it makes it, and the others of the run wait for it and read it. A file that is run by itself stores nothing.
 */
export async function oncePerRun<T>(name: string, make: () => Promise<T>): Promise<T> {
  const folder = process.env.TEST_SHARED;
  if (!folder) return make();
  const file = join(folder, `${name}.v8`);
  const lock = `${file}.lock`;
  const deadline = Date.now() + WAIT_MS;
  while (!existsSync(file)) {
    // The process that makes it may have been killed, so after the deadline it is made again.
    if (takeLock(lock) || Date.now() > deadline) return makeFor(file, lock, make);
    await wait(LOOK_MS);
  }
  return deserialize(readFileSync(file)) as T;
}

const LOOK_MS = 50;
const WAIT_MS = 120_000;

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

async function makeFor<T>(file: string, lock: string, make: () => Promise<T>): Promise<T> {
  try {
    const value = await make();
    const own = `${file}.${process.pid}`;
    writeFileSync(own, serialize(value));
    renameSync(own, file);
    return value;
  } finally {
    // Who waited too long has made the value as well, and may have removed the lock.
    rmSync(lock, { recursive: true, force: true });
  }
}
