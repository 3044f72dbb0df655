import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Platform } from '../../kernel/feature.ts';
import { newId } from '../../kernel/ids.ts';
import { addSigningKey, findLiveSigningKeys } from './signing-keys.repository.ts';
import { TOKEN_TTL_SECONDS } from './token-claims.ts';

/**
 * The Ed25519 keys that sign bearer tokens, and documents that callers store: results, manifests, receipts. One key
 * signs. After a rotation the former key is accepted until its last token has expired, so that no request fails, and is
 * published for years, so that stored documents can be verified.
 */
export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject };
export type PublishedKey = { readonly kid: string; readonly publicKey: KeyObject; readonly jwk: JsonWebKey };

export type SigningKeys = {
  current(): SigningKey;
  /** The newest first. The list may be half a minute old. */
  published(): Promise<PublishedKey[]>;
  /**
   * Finds a key whose tokens are accepted. An unknown kid is looked up in the database, at most once a second, because
   * another server may have rotated.
   */
  find(kid: string): Promise<PublishedKey | undefined> | PublishedKey | undefined;
  rotate(): Promise<string>;
  reload(): Promise<void>;
};

const RELOAD_AT_MOST_EVERY_MS = SECOND;
const RELOAD_AT_LEAST_EVERY_MS = 30 * SECOND;
// Every server publishes a new key before any of them signs with it. Verifiers may cache the published keys for a
// minute, so all of them know the key by then.
const SIGNS_AFTER_MS = 2 * MINUTE;
// Twice the lifetime of a token, because clocks differ.
const ACCEPTED_AFTER_RETIREMENT_MS = 2 * TOKEN_TTL_SECONDS * SECOND;
const PUBLISHED_AFTER_RETIREMENT_MS = 5 * 365 * 24 * HOUR;
// RFC 8410: the bytes before the 32 bytes of a private key in PKCS #8.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export type SigningKeysDeps = Pick<Platform, 'db' | 'vault' | 'clock'> & {
  onError(error: unknown): void;
};

export async function openSigningKeys({ db, vault, clock, onError }: SigningKeysDeps): Promise<SigningKeys> {
  let published: PublishedKey[] = [];
  let accepted = new Map<string, PublishedKey>();
  let signer: SigningKey | undefined;
  let reloadedAt = Number.NEGATIVE_INFINITY;

  const secretName = (kid: string) => `signing-key:${kid}`;

  const privateKeyOf = async (kid: string): Promise<KeyObject> => {
    const [secret] = await vault.systemSecret(db.system, secretName(kid));
    if (!secret) throw new Error(`the signing key ${kid} has no secret`);
    const der = Buffer.concat([PKCS8_PREFIX, secret.key.export()]);
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  };

  const reload = async () => {
    reloadedAt = clock.now();
    const rows = await findLiveSigningKeys(db.system, { retiredAfter: clock.now() - PUBLISHED_AFTER_RETIREMENT_MS });
    // If all keys are new, the oldest of them signs: at the first start there is no other.
    const current = rows.find(({ created_at }) => created_at <= reloadedAt - SIGNS_AFTER_MS) ?? rows.at(-1);
    published = rows.map(({ kid, public_key }) => {
      const jwk = { ...(JSON.parse(public_key) as JsonWebKey), kid, alg: 'EdDSA', use: 'sig' };
      return { kid, jwk, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
    });
    const since = reloadedAt - ACCEPTED_AFTER_RETIREMENT_MS;
    const old = new Set(rows.filter((row) => row.retired_at !== null && row.retired_at <= since).map(({ kid }) => kid));
    accepted = new Map(published.filter(({ kid }) => !old.has(kid)).map((key) => [key.kid, key]));
    if (current && current.kid !== signer?.kid) {
      signer = { kid: current.kid, privateKey: await privateKeyOf(current.kid) };
    }
  };

  const rotate = async () => {
    const kid = newId(clock.now());
    const jwk = createPublicKey(await privateKeyOf(kid)).export({ format: 'jwk' });
    await db.system.write((tx) => addSigningKey(tx, { kid, publicKey: JSON.stringify(jwk), now: clock.now() }));
    await reload();
    return kid;
  };

  const reloadIfOld = async () => {
    if (Math.abs(clock.now() - reloadedAt) > RELOAD_AT_LEAST_EVERY_MS) await reload().catch(onError);
  };

  await reload();
  if (!signer) await rotate();

  return {
    current() {
      if (!signer) throw new Error('there is no signing key');
      // Another server or the operator may have rotated. The request does not wait for the answer.
      reloadIfOld();
      return signer;
    },
    async published() {
      await reloadIfOld();
      return [...published];
    },
    find(kid) {
      const key = accepted.get(kid);
      // After the clock was set back, the age is negative: then the keys are read again, too.
      if (key || Math.abs(clock.now() - reloadedAt) < RELOAD_AT_MOST_EVERY_MS) return key;
      return reload().then(() => accepted.get(kid));
    },
    rotate,
    reload,
  };
}

type JsonWebKey = { kty?: string; crv?: string; x?: string; kid?: string; alg?: string; use?: string };
