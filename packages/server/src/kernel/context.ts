import type { api, Ok } from '@grove/contract';
import type { TenantDb } from '../db/db.ts';
import type { TenantId } from './ids.ts';
import type { PermissionSet } from './permissions.ts';

/** Who calls: an API key by its bearer token, or an operator by the cookie of a session. */
export type Principal = {
  readonly tenantId: TenantId;
  /** The id of the API key or of the operator. */
  readonly callerId: string;
  readonly callerName: string;
  readonly environment: 'live' | 'test';
  readonly permissions: PermissionSet;
  /** When the bearer token expires. The session of an operator has an end of its own. */
  readonly expiresAt?: number;
  /** Set if a person calls. */
  readonly operator?: OperatorPrincipal;
};

export type OperatorPrincipal = {
  readonly sessionId: string;
  readonly email: string;
  readonly role: string;
  /** The permissions of the role, with the tenant. */
  readonly permissions: readonly string[];
  readonly environments: readonly ('live' | 'test')[];
  /** Whether the role sees personal data masked. */
  readonly isMasked: boolean;
  /** Whether the person may do what concerns all tenants. */
  readonly ofInstallation: boolean;
  /** When the passkey was used last. */
  readonly authenticatedAt: number;
  readonly expiresAt: number;
};

/** A bearer token whose signature and claims are valid. Every use checks again that its key was not revoked. */
export type Credential = { principal(): Principal | Promise<Principal> };

/** What every handler of a bearer operation receives beside its input. */
export type Context = {
  readonly tenantId: TenantId;
  readonly principal: Principal;
  /** Bound to the tenant; inside a transaction that idempotency opened, already the transaction. */
  readonly db: TenantDb;
  readonly now: number;
  readonly requestId: string;
  /** The address of the caller, or its network; empty if the server itself calls. */
  readonly address: string;
  /** The `Accept` header: an image can be answered as JSON or as its bytes. */
  readonly accept: string | undefined;
};

/** ACTIVE may act, WATCHING only looks, UNCONFIRMED has not matched the number yet, CLOSED was turned away. */
export type SessionState = 'ACTIVE' | 'WATCHING' | 'UNCONFIRMED' | 'CLOSED';

/** How far a hand-off to another device has come, as one of the two devices sees it. */
export type HandoffState = Ok<typeof api.journey.get>['device']['handoff'];

/** The browser of an end user, as its cookie says. It opens one instance and nothing else. */
export type JourneyPrincipal = {
  readonly tenantId: TenantId;
  readonly sessionId: string;
  readonly instanceId: string;
  readonly state: SessionState;
  readonly handoff: HandoffState;
};

/** What every handler of a journey operation receives beside its input. */
export type JourneyContext = {
  readonly tenantId: TenantId;
  readonly session: JourneyPrincipal;
  readonly db: TenantDb;
  readonly now: number;
  readonly requestId: string;
  /** The address of the caller, or its network. */
  readonly address: string;
  header(name: string): string | undefined;
};
