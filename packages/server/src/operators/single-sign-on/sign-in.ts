import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/feature.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { openCeremony, takeCeremony } from '../ceremonies.repository.ts';
import type { OperatorRow } from '../operators.repository.ts';
import type { ClientSecretFor, Providers } from './provider.ts';
import { recogniseAccount } from './recognise-account.ts';
import { ensureSameSingleSignOn, findSingleSignOn, getSingleSignOn, type SingleSignOn } from './settings.repository.ts';
import { redirectUrlOf } from './settings-handlers.ts';

/** Reads the client secret for a request to the provider. Undefined if it is missing or bound to another host. */
export type ClientSecretOf = (tenantId: TenantId, name: string, url: string) => Promise<string | undefined>;

export type SignInDeps = Pick<Platform, 'db' | 'clock' | 'baseUrlOf'> & {
  providers: Providers;
  clientSecretOf: ClientSecretOf;
};

export type SingleSignOnSignIn = {
  isOffered(tenantId: TenantId): Promise<boolean>;
  /** The cookie of this browser names the ceremony: a response that another browser began signs nobody in. */
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
/** The provider does not say when it last authenticated the person. */
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
 * When the provider last authenticated the person. A provider that says so is believed. Otherwise somebody may only sit
 * at an open browser, so the sign-in counts only if the provider was told to authenticate again (`prompt=login`).
 */
export function lastAsked(authTime: unknown, { isAgain, now }: { isAgain: boolean; now: number }): number {
  const silent = isAgain ? now : LONG_AGO;
  const saidAt = typeof authTime === 'number' && Number.isFinite(authTime) ? authTime * 1000 : silent;
  return Math.max(LONG_AGO, Math.min(now, saidAt));
}
