import { isDeepStrictEqual } from 'node:util';
import { type Client, isGroveError } from 'grove-idv-sdk';
import { localFetch } from '../local-fetch.ts';
import type { Environment, Server } from '../on-server.ts';
import { type DefinitionFile, type Folder, type SettingsFile, throwFaults } from './read-folder.ts';
import { compareResources, type ResourceChange, type ResourceFile, type Unmanaged } from './resources.ts';
import { runOrder } from './run-order.ts';
import { schemaFaults } from './schema-faults.ts';
import { type Schema, withDefaults } from './with-defaults.ts';

/** The changes after which a tenant matches a folder. To compute it changes nothing. */
export type Plan = {
  readonly definitions: readonly DefinitionChange[];
  readonly tags: readonly TagChange[];
  readonly settings?: SettingsChange;
  /** Resources come before everything else, because definitions name them. */
  readonly resources: readonly ResourceChange[];
  readonly unmanaged: readonly Unmanaged[];
};

type Values = Readonly<Record<string, unknown>>;

export type DefinitionChange = {
  readonly action: 'create' | 'deploy' | 'none';
  readonly file: string;
  readonly name: string;
  /** The version that will be deployed. */
  readonly version: number;
  /** Its id, if it already exists. */
  readonly id?: string;
  /** The document as it will be stored. */
  readonly document: Values;
  /** The newest deployed version, or else the newest; undefined if it is the same. */
  readonly before?: { readonly version: number; readonly document: Values };
};

export type TagChange = {
  readonly action: 'add' | 'move' | 'none';
  readonly tag: string;
  readonly name: string;
  readonly version: number;
  /** The version that has the tag now. */
  readonly from?: string;
};

export type SettingsChange = {
  readonly action: 'update' | 'none';
  readonly before: SettingsFile;
  readonly after: SettingsFile;
};

export function hasChanges({ definitions, tags, settings, resources }: Plan): boolean {
  return [...resources, ...definitions, ...tags, ...(settings ? [settings] : [])].some(
    ({ action }) => action !== 'none',
  );
}

/** Throws with all faults of all files if there are any. */
export async function planChanges({ client, baseUrl, environment }: Server, folder: Folder): Promise<Plan> {
  const { ordered, circles } = runOrder(folder.definitions);
  const own = [...folder.faults, ...circles];
  const askServer = async () => {
    const ofSchemas = await schemaFaults(baseUrl, folder.resources);
    const ofDefinitions = await faultsOfAll(client, ordered, folder.resources);
    const compared = await compareResources(client, folder.resources);
    return { ...compared, faults: [...ofSchemas, ...ofDefinitions, ...compared.faults] };
  };
  const result = await askServer().catch((error: unknown) => {
    // If the server cannot be called, the faults of the files are reported anyway.
    throwFaults(own);
    throw error;
  });
  throwFaults([...own, ...result.faults]);
  const schema = ordered.length > 0 ? await publishedSchema(baseUrl) : {};
  const definitions: DefinitionChange[] = [];
  for (const file of ordered) definitions.push(await definitionChange({ client, environment }, file, schema));
  const tags = await tagChanges(client, ordered, definitions);
  const settings = folder.settings && (await settingsChange(client, folder.settings));
  return { definitions, tags, resources: result.changes, unmanaged: result.unmanaged, ...(settings && { settings }) };
}

async function faultsOfAll(
  client: Client,
  files: readonly DefinitionFile[],
  resources: readonly ResourceFile[],
): Promise<string[]> {
  const newNames = new Set(resources.map(({ name }) => name));
  const together = new Set(files.map(({ name }) => name));
  const faults: string[] = [];
  for (const file of files) {
    const fileFaults = (await faultsOf(client, file.document)).filter(
      ({ pointer }) =>
        // The missing name was already reported when the folder was read.
        !(pointer === '/name' && file.name === '') &&
        !isRunHere(file, pointer, together) &&
        !isMadeHere(file, pointer, newNames),
    );
    faults.push(...fileFaults.map(({ pointer, message }) => `${file.placeOf(pointer)} ${pointer} ${message}`));
  }
  return faults;
}

type Body = Parameters<Client['processDefinitions']['create']>[0]['body'];

async function faultsOf(client: Client, document: Values) {
  try {
    return (await client.processDefinitions.validate({ body: document as Body })).faults;
  } catch (error) {
    // The server refuses a document that does not fit the schema before it validates the definition.
    if (isGroveError(error, 100001)) return error.errors;
    throw error;
  }
}

/** Whether the fault names a missing subprocess that is in the same folder, and so is deployed first. */
function isRunHere({ document }: DefinitionFile, pointer: string, together: ReadonlySet<string>): boolean {
  const stepIndex = /^\/steps\/(\d+)\/definition$/.exec(pointer)?.[1];
  const step = (document.steps as Values[])[Number(stepIndex ?? -1)];
  return step !== undefined && step.version === undefined && together.has(String(step.definition));
}

/** Whether the fault names a missing resource that is in the same folder, and so is made first. */
function isMadeHere({ document }: DefinitionFile, pointer: string, newNames: ReadonlySet<string>): boolean {
  const names = pointer.split('/').slice(1);
  const value = names.reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], document);
  return typeof value === 'string' && newNames.has(value);
}

const SCHEMA_PATH = '/schemas/process-definition.json';
const TIMEOUT_MS = 30_000;

async function publishedSchema(baseUrl: string): Promise<Schema> {
  const answer = await localFetch(new URL(SCHEMA_PATH, baseUrl), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`The server answers ${answer.status} at ${SCHEMA_PATH}: is it of an older release?`);
  return (await answer.json()) as Schema;
}

type Caller = Pick<Server, 'client' | 'environment'>;

/** With a test key, it compares with what test instances run: the live versions until there is a test version. */
async function definitionChange(
  { client, environment }: Caller,
  file: DefinitionFile,
  schema: Schema,
): Promise<DefinitionChange> {
  const document = withDefaults(file.document, schema);
  const change = { file: file.file, name: file.name, document };
  const deployedIn = (of: Environment) =>
    newestOf(client, { name: file.name, environment: of, status: 'DEPLOYED_ACTIVE' });
  const deployed = (await deployedIn(environment)) ?? (await deployedIn('live'));
  if (deployed && isDeepStrictEqual(deployed.document, document)) {
    return { ...change, action: 'none', version: deployed.version, id: deployed.id };
  }
  const newest = await newestOf(client, { name: file.name, environment });
  const before = deployed ?? newest;
  if (newest?.status === 'EDITABLE' && isDeepStrictEqual(newest.document, document)) {
    return {
      ...change,
      action: 'deploy',
      version: newest.version,
      id: newest.id,
      ...(deployed && { before: deployed }),
    };
  }
  return { ...change, action: 'create', version: (newest?.version ?? 0) + 1, ...(before && { before }) };
}

type DefinitionQuery = { name: string; environment: Environment; status?: 'DEPLOYED_ACTIVE' };

async function newestOf(client: Client, wantedDefinition: DefinitionQuery) {
  const query = { ...wantedDefinition, sort: ['version,desc'], size: 1 };
  const [newest] = (await client.processDefinitions.list({ query })).content;
  return newest && client.processDefinitions.get({ processDefinitionId: newest.id });
}

const MAX_PAGE = 1000;

async function tagChanges(
  client: Client,
  files: readonly DefinitionFile[],
  definitions: readonly DefinitionChange[],
): Promise<TagChange[]> {
  if (files.every(({ tags }) => tags.length === 0)) return [];
  const there = await Array.fromAsync(client.processDefinitions.listTags.all({ query: { size: MAX_PAGE } }));
  return files.flatMap(({ tags, name }, at) => {
    const { version, id } = definitions[at] as DefinitionChange;
    return tags.map((tag): TagChange => {
      const now = there.find((each) => each.name === tag);
      const change = { tag, name, version };
      if (!now) return { ...change, action: 'add' };
      if (now.processDefinitionId === id) return { ...change, action: 'none' };
      return { ...change, action: 'move', from: `${now.processDefnName} ${now.processDefnVersion}` };
    });
  });
}

async function settingsChange(
  client: Client,
  { file: _file, ...wantedSettings }: NonNullable<Folder['settings']>,
): Promise<SettingsChange> {
  const present: Values = await client.processSettings.get();
  const stored = Object.entries(wantedSettings).map(([name, value]) => {
    return [name, isOrigins(name) ? [...new Set((value as string[]).map(asStored))] : value] as const;
  });
  const before = Object.fromEntries(stored.map(([name]) => [name, present[name]])) as SettingsFile;
  const same = stored.every(([name, value]) =>
    isOrigins(name)
      ? isDeepStrictEqual(new Set(present[name] as string[]), new Set(value as string[]))
      : isDeepStrictEqual(present[name], value),
  );
  return {
    action: same ? 'none' : 'update',
    before,
    after: same ? before : (Object.fromEntries(stored) as SettingsFile),
  };
}

const isOrigins = (name: string) => name.endsWith('Origins');

/** The spelling of an origin as the server stores it. An invalid one is left for the server to refuse. */
function asStored(origin: string): string {
  const entry = origin.trim().toLowerCase();
  return /^https?:\/\//.test(entry) && URL.canParse(entry) && /^\/?$/.test(new URL(entry).pathname)
    ? new URL(entry).origin
    : entry;
}
