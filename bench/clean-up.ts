import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ensures that the temporary folders and the children of the bench do not outlive it, even if it is interrupted. */

const folders = new Set<string>();
const children = new Set<{ kill(signal: 'SIGKILL'): unknown }>();

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'grove-bench-'));
  folders.add(path);
  return { path, remove: () => removeFolder(path) };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  folders.delete(path);
}

/** Returns a function to call when the child has ended by itself. */
export function endWithBench(child: { kill(signal: 'SIGKILL'): unknown }): () => void {
  children.add(child);
  return () => children.delete(child);
}

export function cleanUpOnExit(): void {
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    for (const path of folders) removeFolder(path);
  });
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}
