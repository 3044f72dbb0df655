import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../failure.ts';
import { type ReadYaml, readYaml } from './read-yaml.ts';
import { fileOf, KIND_NAMES, type ResourceFile, resourcesOf } from './resources.ts';

/** A folder with the configuration of a tenant: `definitions/*.yaml`, `settings.yaml`, and a file for each kind of resource. */
export type Folder = {
  readonly definitions: readonly DefinitionFile[];
  readonly settings?: { readonly file: string } & OriginLists;
  readonly resources: readonly ResourceFile[];
  /** What is wrong with the files; the server may find more. */
  readonly faults: readonly string[];
};

/** `embedOrigins` stay as they are if the file does not name them. */
export type OriginLists = { readonly redirectOrigins: readonly string[]; readonly embedOrigins?: readonly string[] };

export type DefinitionFile = {
  readonly file: string;
  readonly name: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** Where in the file a JSON Pointer into the document points: `definitions/a.yaml:3:5`. */
  placeOf(pointer: string): string;
};

export const DEFINITIONS = 'definitions';
export const SETTINGS = 'settings.yaml';

const MAX_FILES = 1000;
/** As large as a body may be. */
const MAX_FILE_BYTES = 2 ** 20;
const MAX_TAG_LENGTH = 50;

/** Reads all that can be read. Faults are gathered, so that those of the server can be shown with them. */
export function readFolder(folder: string): Folder {
  const hasDefinitions = existsSync(join(folder, DEFINITIONS));
  const hasSettings = existsSync(join(folder, SETTINGS));
  const kinds = KIND_NAMES.filter((kind) => existsSync(join(folder, fileOf(kind))));
  if (!hasDefinitions && !hasSettings && kinds.length === 0) {
    const files = [SETTINGS, ...KIND_NAMES.map(fileOf)].join(', ');
    throw new UsageError(`${folder} holds neither a folder ${DEFINITIONS} nor one of the files ${files}`);
  }
  const faults: string[] = [];
  const definitions = hasDefinitions ? readDefinitions(folder, faults) : [];
  const settings = hasSettings ? readSettings(folder, faults) : undefined;
  const resources = kinds.flatMap((kind) => {
    const read = readFile(folder, fileOf(kind), faults);
    return read ? resourcesOf(kind, read, faults) : [];
  });
  faults.push(...doubleFaults(definitions));
  return { definitions, ...(settings && { settings }), resources, faults };
}

export function throwFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const many = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  throw new Error(
    `The configuration has ${many}; nothing was changed.\n${faults.map((each) => `- ${each}`).join('\n')}`,
  );
}

function readDefinitions(folder: string, faults: string[]): DefinitionFile[] {
  const names = readdirSync(join(folder, DEFINITIONS)).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (names.length > MAX_FILES) throw new UsageError(`${folder} holds more than ${MAX_FILES} definitions`);
  return names.sort().flatMap((name) => {
    const read = readFile(folder, `${DEFINITIONS}/${name}`, faults);
    return read ? (toDefinition(read, faults) ?? []) : [];
  });
}

function toDefinition(read: ReadYaml, faults: string[]): DefinitionFile | undefined {
  const { tags = [], ...document } = read.value;
  const before = faults.length;
  if (typeof document.name !== 'string') faults.push(`${read.placeOf('/name')} /name is required, and must be text`);
  if (!Array.isArray(tags)) faults.push(`${read.placeOf('/tags')} /tags must be a list`);
  else {
    for (const [at, tag] of tags.entries()) {
      if (typeof tag === 'string' && tag !== '' && [...tag].length <= MAX_TAG_LENGTH) continue;
      const pointer = `/tags/${at}`;
      faults.push(`${read.placeOf(pointer)} ${pointer} must be text of 1 to ${MAX_TAG_LENGTH} characters`);
    }
  }
  if (faults.length > before) return undefined;
  const { file, placeOf } = read;
  return { file, name: document.name as string, document, tags: [...new Set(tags as string[])], placeOf };
}

function readSettings(folder: string, faults: string[]): Folder['settings'] {
  const read = readFile(folder, SETTINGS, faults);
  if (!read) return undefined;
  const { redirectOrigins, embedOrigins, ...others } = read.value;
  for (const name of Object.keys(others)) faults.push(`${read.placeOf(`/${name}`)} /${name} is not a setting`);
  const listOf = (name: string, value: unknown): string[] | undefined => {
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    faults.push(`${read.placeOf(`/${name}`)} /${name} must be a list of texts`);
    return undefined;
  };
  const redirects = listOf('redirectOrigins', redirectOrigins);
  const embeds = embedOrigins === undefined ? undefined : listOf('embedOrigins', embedOrigins);
  return redirects && { file: SETTINGS, redirectOrigins: redirects, ...(embeds && { embedOrigins: embeds }) };
}

function readFile(folder: string, file: string, faults: string[]): ReadYaml | undefined {
  const path = join(folder, file);
  if (statSync(path).size > MAX_FILE_BYTES) {
    faults.push(`${file} is larger than ${MAX_FILE_BYTES} bytes`);
    return undefined;
  }
  const read = readYaml(file, readFileSync(path, 'utf8'));
  if ('faults' in read) {
    faults.push(...read.faults);
    return undefined;
  }
  return read;
}

/** A definition or a tag that two files want cannot be had by both. */
function doubleFaults(definitions: readonly DefinitionFile[]): string[] {
  const seen = new Map<string, string>();
  const note = (what: string, file: DefinitionFile, pointer: string): string[] => {
    const first = seen.get(what);
    if (first === undefined) seen.set(what, file.file);
    return first === undefined ? [] : [`${file.placeOf(pointer)} ${what} is in ${first} already`];
  };
  return definitions.flatMap((file) => [
    ...note(`the definition ${JSON.stringify(file.name)}`, file, '/name'),
    ...file.tags.flatMap((tag, at) => note(`the tag ${JSON.stringify(tag)}`, file, `/tags/${at}`)),
  ]);
}
