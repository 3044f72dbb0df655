import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { configurationSchema } from '@grove/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { UsageError } from '../failure.ts';
import { PAGES, readPages } from './custom-pages.ts';
import { FILE_KINDS, fileOf } from './kinds.ts';
import { type ReadYaml, readYaml } from './read-yaml.ts';
import { type ResourceFile, resourceOfPage, resourcesOf } from './resources.ts';

/**
 * A folder with the configuration of a tenant: `definitions/*.yaml`, `settings.yaml`, `pages/<name>/`, and a file for each
 * other kind of resource.
 */
export type Folder = {
  readonly definitions: readonly DefinitionFile[];
  readonly settings?: { readonly file: string } & SettingsFile;
  readonly resources: readonly ResourceFile[];
  /** The faults of the files; the server may find more. */
  readonly faults: readonly string[];
};

/** Settings that the file does not name stay unchanged; only `redirectOrigins` are required. */
export type SettingsFile = {
  readonly redirectOrigins: readonly string[];
  readonly embedOrigins?: readonly string[];
  readonly [name: string]: unknown;
};

export type DefinitionFile = {
  readonly file: string;
  /** Empty if the document has none. */
  readonly name: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** The position in the file to which a JSON Pointer into the document leads: `definitions/a.yaml:3:5`. */
  placeOf(pointer: string): string;
};

export const DEFINITIONS = 'definitions';
export const SETTINGS = 'settings.yaml';

/** The schema of this command's release: a newer server may know more settings. */
const SETTINGS_SCHEMA = configurationSchema('settings') ?? {};

const MAX_FILES = 1000;
/** The limit of a request body. */
const MAX_FILE_BYTES = 2 ** 20;
const MAX_TAG_LENGTH = 50;

/** Reads everything that can be read. It collects the faults, so that those of the server can be shown with them. */
export async function readFolder(folder: string): Promise<Folder> {
  const hasDefinitions = existsSync(join(folder, DEFINITIONS));
  const hasSettings = existsSync(join(folder, SETTINGS));
  const kinds = FILE_KINDS.filter((kind) => existsSync(join(folder, fileOf(kind))));
  if (!hasDefinitions && !hasSettings && kinds.length === 0 && !existsSync(join(folder, PAGES))) {
    const files = [SETTINGS, ...FILE_KINDS.map(fileOf)].join(', ');
    throw new UsageError(`${folder} holds neither a folder ${DEFINITIONS} nor one of the files ${files}`);
  }
  const faults: string[] = [];
  const definitions = hasDefinitions ? readDefinitions(folder, faults) : [];
  const settings = hasSettings ? readSettings(folder, faults) : undefined;
  const resources = kinds.flatMap((kind) => {
    const parsed = readFile(folder, fileOf(kind), faults);
    return parsed ? resourcesOf(kind, parsed, faults) : [];
  });
  const pages = (await readPages(folder, faults)).map(resourceOfPage);
  faults.push(...duplicateFaults(definitions));
  return { definitions, ...(settings && { settings }), resources: [...resources, ...pages], faults };
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
    const parsed = readFile(folder, `${DEFINITIONS}/${name}`, faults);
    return parsed ? toDefinition(parsed, faults) : [];
  });
}

/** A wrong name or tag does not hide the server's faults in the rest of the document. */
function toDefinition(parsed: ReadYaml, faults: string[]): DefinitionFile {
  const { tags = [], ...document } = parsed.value;
  const { file, placeOf } = parsed;
  const name = typeof document.name === 'string' ? document.name : '';
  if (name === '') faults.push(`${placeOf('/name')} /name is required, and must be text`);
  if (!Array.isArray(tags)) faults.push(`${placeOf('/tags')} /tags must be a list`);
  const listed: unknown[] = Array.isArray(tags) ? tags : [];
  const good = listed.filter((tag, at): tag is string => {
    if (typeof tag === 'string' && tag !== '' && [...tag].length <= MAX_TAG_LENGTH) return true;
    const pointer = `/tags/${at}`;
    faults.push(`${placeOf(pointer)} ${pointer} must be text of 1 to ${MAX_TAG_LENGTH} characters`);
    return false;
  });
  return { file, name, document, tags: [...new Set(good)], placeOf };
}

function readSettings(folder: string, faults: string[]): Folder['settings'] {
  const parsed = readFile(folder, SETTINGS, faults);
  if (!parsed) return undefined;
  const { redirectOrigins, embedOrigins, ...others } = parsed.value;
  const fault = (name: string, message: string) => {
    faults.push(`${parsed.placeOf(`/${name}`)} /${name} ${message}`);
    return undefined;
  };
  const { properties } = SETTINGS_SCHEMA as { properties: object };
  for (const name of Object.keys(others)) if (!Object.hasOwn(properties, name)) fault(name, 'is not a setting');
  const knownSettings = Object.entries(others).filter(([name]) => Object.hasOwn(properties, name));
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(SETTINGS_SCHEMA);
  if (!validate({ redirectOrigins: [], ...Object.fromEntries(knownSettings) })) {
    for (const { instancePath, message = '' } of validate.errors ?? []) fault(instancePath.slice(1), message);
  }
  const listOf = (name: string, value: unknown): string[] | undefined =>
    Array.isArray(value) && value.every((each) => typeof each === 'string')
      ? value
      : fault(name, 'must be a list of texts');
  const redirects = listOf('redirectOrigins', redirectOrigins);
  const embeds = embedOrigins === undefined ? undefined : listOf('embedOrigins', embedOrigins);
  if (!redirects) return undefined;
  return {
    file: SETTINGS,
    redirectOrigins: redirects,
    ...(embeds && { embedOrigins: embeds }),
    ...Object.fromEntries(knownSettings),
  };
}

function readFile(folder: string, file: string, faults: string[]): ReadYaml | undefined {
  const path = join(folder, file);
  const state = statSync(path, { throwIfNoEntry: false });
  // A pipe or a device would be read endlessly.
  const fault = state?.isFile()
    ? state.size > MAX_FILE_BYTES && `is larger than ${MAX_FILE_BYTES} bytes`
    : 'is not a file that can be read';
  if (fault) {
    faults.push(`${file} ${fault}`);
    return undefined;
  }
  const parsed = readYaml(file, readFileSync(path, 'utf8'));
  if ('faults' in parsed) {
    faults.push(...parsed.faults);
    return undefined;
  }
  return parsed;
}

/** The faults of definitions and tags that several files claim. */
function duplicateFaults(definitions: readonly DefinitionFile[]): string[] {
  const firstFiles = new Map<string, string>();
  const note = (what: string, file: DefinitionFile, pointer: string): string[] => {
    const first = firstFiles.get(what);
    if (first === undefined) firstFiles.set(what, file.file);
    return first === undefined ? [] : [`${file.placeOf(pointer)} ${what} is already in ${first}`];
  };
  return definitions.flatMap((file) => [
    ...(file.name === '' ? [] : note(`the definition ${JSON.stringify(file.name)}`, file, '/name')),
    ...file.tags.flatMap((tag, at) => note(`the tag ${JSON.stringify(tag)}`, file, `/tags/${at}`)),
  ]);
}
