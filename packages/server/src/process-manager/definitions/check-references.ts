import { didYouMean } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import type { Reference } from '../engine/steps/step-type.ts';
import { asFarAsReadable, type ReadStep } from './check-shape.ts';

/** Checks the references of steps to other steps of the definition and to other objects of the tenant. */

/** Looks up objects of the tenant. */
export type Lookup = {
  /** Whether the object of a reference exists and can be used. */
  has(reference: Reference): Promise<boolean>;
  /** The reason why an existing object cannot be used. */
  faultOf?(reference: Reference): Promise<string | undefined>;
  /** The reason why nothing may be sent to an address. */
  addressFault?(url: string): string | undefined;
  /** The definitions that a deployed definition runs as subprocesses. */
  runs(reference: Reference): Promise<readonly Reference[]>;
};

const DEFAULT_THEME = 'default';
const DATA_OF_TYPE = { document: 'documents', face: 'faces' } as const;
const OBJECTS = {
  page: 'custom page',
  theme: 'theme',
  watchlist: 'watchlist',
  webhook: 'webhook',
  secret: 'cloud secret',
  store: 'identity store',
} as const;

/** Faults of references to the data of an earlier step. */
export function gatheredFaults(steps: readonly ReadStep[]): FieldFault[] {
  return steps.flatMap((readStep) =>
    referencesOf(readStep).flatMap(({ kind, name, pointer }) => {
      if (kind !== 'document' && kind !== 'face') return [];
      const message = gatheredFault(kind, name, readStep.at, steps);
      return message === undefined ? [] : [{ pointer, message }];
    }),
  );
}

function gatheredFault(
  kind: keyof typeof DATA_OF_TYPE,
  key: string,
  at: number,
  steps: readonly ReadStep[],
): string | undefined {
  const keeping = steps.filter(({ type }) => type?.type === kind && type.keeps?.in === DATA_OF_TYPE[kind]);
  const writer = keeping.find(({ step }) => step.key === key);
  if (writer && writer.at < at) return undefined;
  const name = JSON.stringify(key);
  if (writer) return `the ${kind} step with the key ${name} comes later: put it above this step`;
  const knownKeys = keeping.filter((each) => each.at < at).map(({ step }) => String(step.key));
  return `there is no ${kind} step with the key ${name} above this step${didYouMean(key, knownKeys)}`;
}

/** References to objects of the tenant. A step that this release does not support has none. */
export function outsideReferences(steps: readonly ReadStep[]): Reference[] {
  return steps
    .filter(({ type }) => !type?.unavailable)
    .flatMap(referencesOf)
    .filter(({ kind }) => kind !== 'document' && kind !== 'face');
}

/** The theme that the definition names. The default theme always exists. */
export function themeReferences({ theme }: { readonly theme?: unknown }): Reference[] {
  if (typeof theme !== 'string' || theme === DEFAULT_THEME) return [];
  return [{ kind: 'theme', name: theme, pointer: '/theme' }];
}

/** The references of a step, with pointers from the top of the document. */
function referencesOf({ step, type, at }: ReadStep): Reference[] {
  return asFarAsReadable(() => type?.references?.(step))
    .filter(({ name }) => typeof name === 'string' && name !== '')
    .map((reference) => ({ ...reference, pointer: `/steps/${at}${reference.pointer}` }));
}

/** Faults of references to missing objects, and of subprocesses that would run the definition again. */
export async function missingFaults(
  name: string,
  references: readonly Reference[],
  lookup: Lookup,
): Promise<FieldFault[]> {
  const faults: FieldFault[] = [];
  const below = runsBelow(lookup);
  const faultsByObject = new Map<string, string | undefined>();
  const objectFault = async (reference: Reference) => {
    const key = `${reference.kind} ${reference.name} ${reference.url ?? ''}`;
    if (faultsByObject.has(key)) return faultsByObject.get(key);
    const fault = (await lookup.has(reference))
      ? await lookup.faultOf?.(reference)
      : `there is no ${nounOf(reference)} named ${JSON.stringify(reference.name)}`;
    faultsByObject.set(key, fault);
    return fault;
  };
  for (const reference of references) {
    if (reference.kind === 'address') {
      const message = lookup.addressFault?.(reference.name);
      if (message !== undefined) faults.push({ pointer: reference.pointer, message });
      continue;
    }
    if (faultsByObject.size === MAX_REFERENCES) {
      return [...faults, { pointer: '', message: `refers to more than ${MAX_REFERENCES} objects` }];
    }
    const message =
      reference.kind === 'definition'
        ? await subprocessFault(name, reference, lookup, below)
        : await objectFault(reference);
    if (message !== undefined) faults.push({ pointer: reference.pointer, message });
  }
  return faults;
}

function nounOf({ kind }: Reference): string {
  return kind in OBJECTS ? OBJECTS[kind as keyof typeof OBJECTS] : kind;
}

const MAX_DEFINITIONS_BELOW = 100;
/** The limit of look-ups of objects of the tenant. */
const MAX_REFERENCES = 500;

type Below = (reference: Reference) => Promise<readonly Reference[] | undefined>;

/** Reads the definitions that a definition runs, each once. Undefined if there are more than allowed. */
function runsBelow(lookup: Lookup): Below {
  const cache = new Map<string, readonly Reference[]>();
  return async (reference) => {
    const key = `${reference.name} ${reference.version}`;
    const cached = cache.get(key);
    if (cached) return cached;
    if (cache.size === MAX_DEFINITIONS_BELOW) return undefined;
    const runs = await lookup.runs(reference);
    cache.set(key, runs);
    return runs;
  };
}

async function subprocessFault(
  name: string,
  reference: Reference,
  lookup: Lookup,
  below: Below,
): Promise<string | undefined> {
  if (reference.name === name) return 'a definition cannot run itself';
  if (!(await lookup.has(reference))) {
    const quotedName = JSON.stringify(reference.name);
    return reference.version === undefined
      ? `there is no deployed definition named ${quotedName}`
      : `version ${reference.version} of the definition ${quotedName} is not deployed`;
  }
  const visited = new Set<string>();
  const waiting = [{ reference, way: [name, reference.name] }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const runs = await below(next.reference);
    if (!runs) return `would run more than ${MAX_DEFINITIONS_BELOW} other definitions`;
    for (const each of runs) {
      const way = [...next.way, each.name];
      if (each.name === name) return `would run itself: ${way.join(' → ')}`;
      const key = `${each.name} ${each.version}`;
      if (!visited.has(key)) waiting.push({ reference: each, way });
      visited.add(key);
    }
  }
  return undefined;
}
