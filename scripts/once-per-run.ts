import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';

/**
 * What several files of tests need and what takes seconds to make, such as the frames of a film: the first that needs it
 * makes it, and the others of the run read it. Two that come at the same moment both make it. A file that is run by
 * itself keeps nothing.
 */
export async function oncePerRun<T>(name: string, make: () => Promise<T>): Promise<T> {
  const folder = process.env.TEST_SHARED;
  if (!folder) return make();
  const file = join(folder, `${name}.v8`);
  if (existsSync(file)) return deserialize(readFileSync(file)) as T;
  const made = await make();
  const own = `${file}.${process.pid}`;
  writeFileSync(own, serialize(made));
  renameSync(own, file);
  return made;
}
