import type { Route } from './route.ts';
import type { routes } from './routes.generated.ts';
import type { Binary, Client, Redirect, ServedGroup, ServedName, User } from './types.ts';

/**
 * The promises of the types, checked when this file compiles; it is never loaded. A broken promise is a line that does
 * not compile.
 */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Not<A extends boolean> = A extends true ? false : true;
type Assert<T extends true> = T;

/** Whether the types accept these arguments. */
type Takes<F extends (...args: never[]) => unknown, A extends unknown[]> = A extends Parameters<F> ? true : false;
type Gives<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;

type Keys = Client['apiKeys'];
type Key = Gives<Keys['get']>;

export type ApiKeyChecks = [
  Assert<Takes<Keys['create'], [{ body: { name: string } }]>>,
  Assert<Takes<Keys['create'], [{ body: { name: string }; idempotencyKey: string; signal: AbortSignal }]>>,
  Assert<Not<Takes<Keys['create'], [{ body: { description: string } }]>>>,
  Assert<Not<Takes<Keys['create'], [{ body: { name: number } }]>>>,
  Assert<Not<Takes<Keys['create'], []>>>,
  Assert<Takes<Keys['get'], [{ apiKeyId: string }]>>,
  Assert<Not<Takes<Keys['get'], []>>>,
  Assert<Not<Takes<Keys['get'], [{ apiKeyId: number }]>>>,
  Assert<Not<Takes<Keys['get'], [{ id: string }]>>>,
  // A list and an operation with an empty body require no arguments.
  Assert<Takes<Keys['list'], []>>,
  Assert<Takes<Keys['list'], [{ query: { size: number; name: string | undefined; sort: string[] } }]>>,
  Assert<Not<Takes<Keys['list'], [{ query: { size: string } }]>>>,
  Assert<Takes<Keys['issue'], []>>,
  Assert<Equal<Key['status'], 'ACTIVE' | 'BLOCKED' | 'ARCHIVED'>>,
  Assert<Equal<Key['id'], string | null>>,
  Assert<Equal<Gives<Keys['create']>, Key>>,
  Assert<Equal<Gives<Keys['delete']>, undefined>>,
  Assert<Equal<Gives<Keys['issue']>['ttl'], number>>,
];

export type PagingChecks = [
  Assert<Equal<Gives<Keys['list']>['content'], Key[]>>,
  Assert<Equal<ReturnType<Keys['list']['all']>, AsyncGenerator<Key, void, undefined>>>,
  Assert<Equal<ReturnType<Keys['list']['pages']>, AsyncGenerator<Gives<Keys['list']>, void, undefined>>>,
  Assert<Takes<Keys['list']['all'], []>>,
  // Only a list can be walked, and a list that belongs to something requires its id.
  Assert<Not<'all' extends keyof Keys['get'] ? true : false>>,
  Assert<Not<Takes<Client['users']['list']['all'], []>>>,
  Assert<Takes<Client['users']['list']['all'], [{ storeName: string }]>>,
];

type Users = Client['users'];
type Start = Client['passkeys']['startAuthentication'];
type Face = Client['biometrics']['authenticateFace'];

export type UserChecks = [
  Assert<Takes<Users['get'], [{ storeName: string; user: { id: string } }]>>,
  Assert<Takes<Users['get'], [{ storeName: string; user: { extId: string } }]>>,
  Assert<Not<Takes<Users['get'], [{ storeName: string; user: { id: string; extId: string } }]>>>,
  Assert<Not<Takes<Users['get'], [{ storeName: string; user: Record<never, never> }]>>>,
  Assert<Not<Takes<Users['get'], [{ storeName: string }]>>>,
  Assert<Not<Takes<Users['get'], [{ user: { id: string } }]>>>,
  Assert<Equal<Gives<Users['get']>, User>>,
  // A ceremony that finds out who the user is takes no user; an operation without a twin takes only one kind.
  Assert<Takes<Start, [{ storeName: string; rpId: string; authPolicyName: string }]>>,
  Assert<Takes<Start, [{ storeName: string; rpId: string; authPolicyName: string; user: { extId: string } }]>>,
  Assert<Takes<Face, [{ storeName: string; user: { extId: string }; body: { data: string } }]>>,
  Assert<Not<Takes<Face, [{ storeName: string; user: { id: string }; body: { data: string } }]>>>,
  Assert<Not<'user' extends keyof Parameters<Keys['get']>[0] ? true : false>>,
];

export type OtherChecks = [
  Assert<Equal<Gives<Client['userData']['archive']>, Binary>>,
  Assert<Equal<Gives<Client['processInstances']['start']>, Redirect>>,
  // The table has a row for every operation of the contract; a missing one does not compile.
  Assert<typeof routes extends { [G in ServedGroup]: { [N in ServedName<G>]: Route } } ? true : false>,
  Assert<Equal<keyof typeof routes, ServedGroup>>,
];
