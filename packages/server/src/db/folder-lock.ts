import { DatabaseSync } from 'node:sqlite';

/**
 * One server on a data folder. The lock is one that the operating system drops when its holder dies, however it dies, so
 * it can never be stale: an open exclusive transaction on a file of its own.
 */
export type FolderLock = { release(): void };

/** The lock, or undefined if another process holds it. */
export function lockFolder(folder: string): FolderLock | undefined {
  const database = new DatabaseSync(`${folder}/server.lock`, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === 5) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
