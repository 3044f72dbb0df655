import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import { rateLimiter } from '../kernel/rate-limiter.ts';
import type { VersionedKey } from '../secrets/sealing.ts';
import { apiKeyHandlers } from './api-keys/api-keys.ts';
import { issuer } from './api-keys/issue.ts';
import { isUsable, openKeysInUse } from './api-keys/keys-in-use.ts';
import { openLastIssued } from './api-keys/last-issued.ts';
import { type Authenticate, authenticator } from './tokens/authenticate.ts';
import { openSigningKeys, type SigningKeys } from './tokens/signing-keys.ts';

/** Puts together API keys and the tokens for which they are exchanged. */
export type Arthr = {
  handlers: ReturnType<typeof apiKeyHandlers>;
  authenticate: Authenticate;
  /** Whether a request with this key would be admitted now for this permission. */
  isPermitted(tenantId: TenantId, keyId: string, permission: string): Promise<boolean>;
  signing: SigningKeys;
  /** The newest pepper: new keys are hashed with it. */
  pepper: VersionedKey;
  /** Writes the pending times a last time. */
  stop(): Promise<void>;
};

export type ArthrDeps = Pick<Platform, 'db' | 'vault' | 'clock' | 'onError'> & {
  /** All peppers, the newest first. */
  peppers: readonly VersionedKey[];
  limitFailures: boolean;
  issuerOf(tenantId: string): string;
};

const GATHERED_WRITES_EVERY_MS = 1000;
const FAILED_ISSUES_PER_MINUTE = 10;

export async function openArthr(deps: ArthrDeps): Promise<Arthr> {
  const { db, vault, clock, peppers, issuerOf, onError } = deps;
  const [pepper] = peppers;
  if (!pepper) throw new Error('there is no pepper for API keys');
  const onSigningError = (error: unknown) => onError('could not reload the signing keys', error);
  const onWriteError = (error: unknown) => onError('could not save last-issued times', error);
  const signing = await openSigningKeys({ db, vault, clock, onError: onSigningError });
  const keys = openKeysInUse({ db, clock });
  const lastIssued = openLastIssued(db, onWriteError);
  const failures = deps.limitFailures
    ? rateLimiter({ limit: FAILED_ISSUES_PER_MINUTE, windowSeconds: 60, clock })
    : undefined;
  const issue = issuer({ clock, peppers, keys, signing, lastIssued, issuerOf });
  const flush = () => lastIssued.flush().catch(onWriteError);
  const gatherer = setInterval(flush, GATHERED_WRITES_EVERY_MS).unref();
  return {
    handlers: apiKeyHandlers({ pepper, keys, lastIssued, issue, failures }),
    authenticate: authenticator({ clock, signing, keys, issuerOf }),
    signing,
    pepper,
    async isPermitted(tenantId, keyId, permission) {
      const key = await keys.find(keyId);
      if (!key || !isUsable(key, clock.now()) || key.isSuspended || key.tenantId !== tenantId) return false;
      return key.permissionSet.holds(permission);
    },
    async stop() {
      clearInterval(gatherer);
      await flush();
    },
  };
}
