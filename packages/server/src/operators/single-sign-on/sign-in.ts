import type { Db, TenantTx } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { openCeremony, takeCeremony } from '../ceremonies.repository.ts';
import type { OperatorRow } from '../operators.repository.ts';
import type { ClientSecretFor, Providers } from './provider.ts';
import { recogniseAccount } from './recognise-account.ts';
import { ensureSameSingleSignOn, findSingleSignOn, getSingleSignOn, type SingleSignOn } from './settings.repository.ts';
import { redirectUrlOf } from './settings-handlers.ts';

/** Reads the client secret, for the request to the provider. Nothing if it is missing or bound to another host. */
export type ClientSecretOf = (tenantId: TenantId, name: string, url: string) => Promise<string | undefined>;

export type SignInDeps = {
  db: Db;
  clock: Clock;
  providers: Providers;
  clientSecretOf: ClientSecretOf;
  baseUrlOf(tenantId: string): string;
};

export type SingleSignOnSignIn = {
  isOffered(tenantId: TenantId): Promise<boolean>;
  /** The ceremony is what the cookie of this browser names: an answer that another browser began signs nobody in. */
  start(tenantId: TenantId, again: boolean): Promise<{ url: string; ceremonyId: string }>;
  complete<T>(
    tenantId: TenantId,
    answer: { ceremonyId: string; query: string },
    then: (tx: TenantTx, signedIn: SignedIn) => Promise<T>,
  ): Promise<T>;
};

export type SignedIn = { operator: OperatorRow; isNew: boolean; authenticatedAt: number };

const KIND = 'SINGLE_SIGN_ON';
const KIND_AGAIN = 'SINGLE_SIGN_ON_AGAIN';
/** Of somebody of whom nobody says when a provider asked last. */
const LONG_AGO = 0;

export function singleSignOnSignIn({
  db,
  clock,
  providers,
  clientSecretOf,
  baseUrlOf,
}: SignInDeps): SingleSignOnSignIn {
  const secretOf =
    (tenantId: TenantId, { clientSecretName: name }: SingleSignOn): ClientSecretFor =>
    async (tokenEndpoint) => {
      if (name === '') return undefined;
      const secret = await clientSecretOf(tenantId, name, tokenEndpoint);
      if (secret !== undefined) return secret;
      throw new ApiError(100235, { log: `the cloud secret ${name} is missing or bound to another host` });
    };
  return {
    isOffered: async (tenantId) => (await findSingleSignOn(db.of(tenantId))) !== undefined,

    async start(tenantId, again) {
      const sso = await getSingleSignOn(db.of(tenantId));
      const kind = again ? KIND_AGAIN : KIND;
      const ceremony = await db.of(tenantId).write((tx) => openCeremony(tx, { kind, now: clock.now() }));
      const redirectUrl = redirectUrlOf(baseUrlOf(tenantId));
      const url = await providers.startUrl(sso, { secret: ceremony.challenge, redirectUrl, again });
      return { url, ceremonyId: ceremony.id };
    },

    async complete(tenantId, { ceremonyId, query }, then) {
      const sso = await getSingleSignOn(db.of(tenantId));
      const { ceremony, isAgain } = await db.of(tenantId).write(async (tx) => {
        const take = (kind: typeof KIND | typeof KIND_AGAIN) =>
          takeCeremony(tx, ceremonyId, { kind, now: clock.now() });
        const first = await take(KIND);
        return { ceremony: first ?? (await take(KIND_AGAIN)), isAgain: first === undefined };
      });
      if (!ceremony) throw new ApiError(100035);
      const flow = { secret: ceremony.challenge, redirectUrl: redirectUrlOf(baseUrlOf(tenantId)) };
      const claims = await providers.claimsOf(sso, { ...flow, query, clientSecretFor: secretOf(tenantId, sso) });
      const now = clock.now();
      const authenticatedAt = lastAsked(claims.auth_time, { isAgain, now });
      return db.of(tenantId).write(async (tx) => {
        await ensureSameSingleSignOn(tx, sso);
        const recognised = await recogniseAccount(tx, { sso, claims, now });
        return then(tx, { ...recognised, authenticatedAt });
      });
    },
  };
}

/**
 * When the provider asked the person last. A provider that says so is believed. One that does not may have signed somebody
 * in who only sits at an open browser, so it counts only where the provider was told to ask (`prompt=login`).
 */
export function lastAsked(authTime: unknown, { isAgain, now }: { isAgain: boolean; now: number }): number {
  const silent = isAgain ? now : LONG_AGO;
  const saidAt = typeof authTime === 'number' && Number.isFinite(authTime) ? authTime * 1000 : silent;
  return Math.max(LONG_AGO, Math.min(now, saidAt));
}
