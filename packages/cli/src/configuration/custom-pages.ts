import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFile } from '@grove/server';
import type { Client } from 'grove-idv-sdk';
import { environmentOf, LARGEST_PAGE } from '../on-server.ts';

/** Custom pages in a folder: `pages/<name>/` holds the files of a page. They are compared by their hashes. */
export type PageContent = readonly PageFile[];
export type PageFolder = { readonly name: string; readonly file: string; readonly content: PageContent };

export const PAGES = 'pages';
const MAX_PAGES = 100;
/** The names that the server accepts; none of them leads out of the folder. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9 ._-]{0,99}$/;

/** Collects the faults that an upload would have. */
export async function readPages(folder: string, faults: string[]): Promise<PageFolder[]> {
  const home = join(folder, PAGES);
  if (!existsSync(home)) return [];
  const names = readdirSync(home, { withFileTypes: true }).filter((each) => each.isDirectory());
  if (names.length > MAX_PAGES) faults.push(`${PAGES} holds more than ${MAX_PAGES} folders`);
  // Loaded only here, because it depends on the server, which takes long to load.
  const { readPageFolder } = await import('../page-tester/read-page-folder.ts');
  const pages: PageFolder[] = [];
  for (const { name } of names.slice(0, MAX_PAGES).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = `${PAGES}/${name}`;
    const { files, fault } = await readPageFolder(join(home, name));
    if (fault) faults.push(`${[file, fault.path].filter(Boolean).join('/')} ${fault.message}`);
    else pages.push({ name, file, content: files });
  }
  return pages;
}

export function hashesOf(files: readonly { path: string; sha256: string }[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]));
}

/** The deployed version of each page; pages without one are left out. */
export async function* deployedPages(client: Client): AsyncGenerator<object> {
  const names = new Set<string>();
  for await (const { name } of client.customPages.list.all({ query: { size: LARGEST_PAGE } })) names.add(name);
  for (const name of names) {
    const deployed = await deployedVersion(client, name);
    if (!deployed) continue;
    const { files } = await client.customPages.get({ id: deployed.id });
    yield { id: deployed.id, name, files: hashesOf(files) };
  }
}

/** For a test key, a version of test comes before those of live, as journeys show it; both environments count from 1. */
async function deployedVersion(client: Client, name: string): Promise<{ id: string } | undefined> {
  const environment = environmentOf(client);
  const query = { sort: ['version,desc'], size: LARGEST_PAGE };
  let fromLive: { id: string } | undefined;
  for await (const version of client.customPages.listVersions.all({ name, query })) {
    if (version.status !== 'DEPLOYED_ACTIVE') continue;
    if (version.environment === environment) return version;
    fromLive ??= version;
  }
  return fromLive;
}

export async function uploadPage(client: Client, name: string, content: PageContent = []): Promise<object> {
  const { writePageArchive } = await import('@grove/server');
  const stored = content.map(({ path, contentType, content: bytes }) => ({
    path,
    content_type: contentType,
    readContent: async () => bytes,
  }));
  const parts = await Array.fromAsync(writePageArchive(stored, Date.now()));
  const bytes = new Uint8Array(Buffer.concat(parts as Buffer[]));
  const { id } = await client.customPages.createVersion({ name, body: { contentType: 'application/zip', bytes } });
  return client.customPages.deploy({ id });
}

/** The files of all deployed pages, by their path in the folder. */
export async function exportPages(client: Client): Promise<Map<string, Buffer>> {
  const { readArchive } = await import('@grove/server');
  const files = new Map<string, Buffer>();
  for await (const page of deployedPages(client)) {
    const { id, name } = page as { id: string; name: string };
    // The names come from the server and must not lead to paths outside the folder.
    if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of a page`);
    const { bytes } = await client.customPages.getArchive({ id });
    // Reads the archive like an upload, so that no path leads out of the folder.
    for (const { path, content } of await readArchive(Buffer.from(bytes)))
      files.set(`${PAGES}/${name}/${path}`, content);
  }
  return files;
}
