import { routes } from 'virtual:grove-routes';
import type { Api, Body, Ok, Params, Query } from '@grove/contract';
import type { startAuthentication as Authenticate } from '@simplewebauthn/browser';
import { currentEnvironment, type Environment } from './environment.ts';

/** Calls the operations of the contract, with its types and the session cookie. */
type Loose<Q> = { [K in keyof Q]?: Q[K] | undefined };
type Nothing = Record<never, never>;
type Arguments<O> = (Nothing extends Params<O> ? Nothing : { params: Params<O> }) & {
  query?: Loose<Query<O>>;
  body?: Body<O>;
  /** The environment, if it is not that of the tab. */
  environment?: Environment;
};

export type Group = keyof Api;
export type Name<G extends Group> = keyof Api[G] & string;
export type Result<G extends Group, N extends Name<G>> = Ok<Api[G][N]>;
export type ArgumentsOf<G extends Group, N extends Name<G>> = Arguments<Api[G][N]>;

/** A refusal of the server, with its code of the catalogue. */
export class CallError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.name = 'CallError';
    this.status = status;
    this.code = code;
  }
}

/** Whether the server no longer knows the session. */
export const isSessionOver = (error: unknown) => error instanceof CallError && error.code === 100210;

/** Whether the role does not permit the call, or no longer does. */
export const isForbidden = (error: unknown) => error instanceof CallError && error.code === 7;

const NO_CODE = 0;
/** Whether no response came, or none of Grove: the server is starting, or something in between is at fault. */
export const isUnreachable = (error: unknown) => error instanceof CallError && error.code === NO_CODE;

/** The error for code of the console that could not be loaded, because the server is away. */
export const unreachable = () => new CallError(0, NO_CODE, 'the server cannot be reached');

/** The stored object has changed since it was read. */
export const CHANGED_MEANWHILE = 100351;
const CONFIRM = 100211;

export async function call<G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  args: ArgumentsOf<G, N>,
): Promise<Result<G, N>> {
  return callLoosely(group, name, args as LooseArguments) as Promise<Result<G, N>>;
}

/** Calls any list without its types. The caller states the type of the result. */
export async function callLoosely(group: Group, name: string, args: LooseArguments): Promise<unknown> {
  const response = await request(group, name, args);
  // Some operations of the specification respond with 200 and no content.
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** Downloads an image or another file, like data: an address alone could not name the environment. */
export async function callForBlob<G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  args: ArgumentsOf<G, N>,
  accept: string,
  onBytes?: OnBytes,
): Promise<Blob> {
  const response = await request(group, name, args as LooseArguments, accept);
  if (!onBytes || !response.body) return response.blob();
  const expected = Number(response.headers.get('x-expected-bytes'));
  let bytes = 0;
  const content = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        onBytes(bytes, expected);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(content, { headers: { 'content-type': response.headers.get('content-type') ?? '' } }).blob();
}

/** Called with the bytes that have arrived and the expected number, or 0 if that is unknown. */
export type OnBytes = (bytes: number, expected: number) => void;

type LooseArguments = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  environment?: Environment;
};

async function request(group: Group, name: string, args: LooseArguments, accept?: string): Promise<Response> {
  const send = () => fetchOnce(group, name, args, accept);
  const response = await send();
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.code !== CONFIRM) throw problem;
  await confirmPerson();
  const again = await send();
  if (again.ok) return again;
  throw await problemOf(again);
}

function fetchOnce(group: Group, name: string, args: LooseArguments, accept = 'application/json'): Promise<Response> {
  const [method = 'GET', path = ''] = routes[group]?.[name] ?? [];
  const address = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(args.params?.[param] ?? ''));
  const query = queryText(args.query ?? {});
  const hasBody = method === 'POST';
  // Archives and pictures are sent unchanged.
  const bytes = args.body instanceof Blob ? args.body : undefined;
  return fetch(`${address}${query}`, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      Accept: accept,
      'X-Grove-Environment': args.environment ?? currentEnvironment(),
      ...(hasBody && { 'Content-Type': bytes?.type ?? 'application/json' }),
    },
    ...(hasBody && { body: bytes ?? JSON.stringify(args.body ?? {}) }),
  }).catch(() => Promise.reject(unreachable()));
}

function queryText(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined && each !== '') search.append(name, String(each));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

async function problemOf(response: Response): Promise<CallError> {
  const problem: { code?: number; message?: string } = await response.json().catch(() => ({}));
  return new CallError(response.status, problem.code ?? NO_CODE, problem.message ?? response.statusText);
}

type RequestOptions = Parameters<typeof Authenticate>[0]['optionsJSON'];

const NO_PASSKEY = 100239;

type AskForCode = () => Promise<string>;

let askForCode: AskForCode | undefined;
let whenAskable = Promise.withResolvers<void>();

/** Sets how to ask for a code of the authenticator app. */
export function onAskForCode(ask: AskForCode | undefined): void {
  askForCode = ask;
  if (ask) whenAskable.resolve();
  else whenAskable = Promise.withResolvers();
}

/** Waits for the dialog, because it is loaded after the screen, which may need it at once. */
async function typedCode(): Promise<string> {
  while (!askForCode) await whenAskable.promise;
  return askForCode();
}

/** Asks for the passkey again before a destructive operation, to ensure that the same person is still there. */
async function confirmPerson(): Promise<void> {
  const confirmation = await call('consoleAccount', 'startConfirmation', {}).catch(async (error) => {
    if (!(error instanceof CallError) || error.code !== NO_PASSKEY) throw error;
    const { totp } = await call('consoleAccount', 'listPasskeys', {});
    if (totp) return { code: await typedCode() };
    await goToProvider({ again: true });
    throw error;
  });
  if ('code' in confirmation) {
    await call('consoleAccount', 'confirmByCode', { body: { code: confirmation.code } });
    return;
  }
  const { ceremonyId, publicKey } = confirmation;
  // Loaded when it is needed, because few operations ask for the passkey again.
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const credential = await startAuthentication({ optionsJSON: publicKey as unknown as RequestOptions });
  const body = { ceremonyId, credential: credential as unknown as Record<string, unknown> };
  await call('consoleAccount', 'completeConfirmation', { body });
}

/** Leaves the page for the provider of single sign-on. */
export async function goToProvider({ again = false } = {}): Promise<void> {
  const { url } = await call('consoleAccount', 'startSingleSignOn', { body: { again } });
  location.assign(url);
}

/** The permission that an operation needs; empty if it needs none. */
export function permissionOf<G extends Group>(group: G, name: Name<G>): string {
  return routes[group]?.[name]?.[2] ?? '';
}

/** All permissions of all operations, by component. */
export function permissionCatalogue(): Map<string, string[]> {
  const all = Object.values(routes).flatMap((group) => Object.values(group).map(([, , permission]) => permission));
  const sorted = [...new Set(all.filter(Boolean))].sort();
  return Map.groupBy(sorted, (permission) => permission.slice(0, permission.indexOf(':'))) as Map<string, string[]>;
}
