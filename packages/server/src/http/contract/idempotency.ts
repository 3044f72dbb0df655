import { createHash, timingSafeEqual } from 'node:crypto';
import { joinTransaction, type TenantDb } from '../../db/db.ts';
import { type Clock, HOUR } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { Vault } from '../../secrets/vault.ts';
import { addAnswer, findAnswer, type IdempotencyRow, removeSomeExpired, type Slot } from './idempotency.repository.ts';

/**
 * `Idempotency-Key`: the answer is stored for a day, in the transaction that does the work, so a retry finds either both or
 * neither. Answers are sealed, because they may hold a secret that is shown once. The hash of the request is sealed too: a
 * reader of the database could otherwise guess the content of a request that names a person.
 */
export type IdempotentRequest = {
  operation: string;
  key: string;
  context: Context;
  /** Everything that identifies the request except the caller, which is added here. */
  fingerprint: unknown;
  /** The process instance of the address. */
  instanceId?: string | undefined;
  handle(context: Context): Promise<unknown>;
  /** Runs before the transaction, and not for a repetition, because it may have an effect, such as a new tenant. */
  prepare?(): Promise<IdempotentRequest['handle']>;
};

export type Idempotency = (request: IdempotentRequest) => Promise<{ body: unknown; replayed: boolean }>;

/** The hash of the request in base64, and the answer. */
type StoredAnswer = [hash: string, body: unknown];

/** Fills the column in which an earlier release stored the hash. */
const NO_HASH = Buffer.alloc(32);
const KEPT_MS = 24 * HOUR;
const SUBJECT = 'idempotency';
const KEY = /^[\x21-\x7e]{1,255}$/;

export function idempotency({ vault, clock }: { vault: Vault; clock: Clock }): Idempotency {
  const inFlight = new Set<string>();

  const replay = async (db: TenantDb, slot: Slot, row: IdempotencyRow, hash: Buffer) => {
    const plain = await vault.openFor(db, SUBJECT, slotName(slot), row.sealed);
    const stored: unknown = JSON.parse(plain.toString('utf8'));
    // An earlier release stored the hash beside the answer.
    const isOld = !NO_HASH.equals(row.request_hash);
    const [text, body] = isOld ? ['', stored] : (stored as StoredAnswer);
    // A caller never receives the answer to another caller's request: the hash names the caller.
    if (!timingSafeEqual(isOld ? row.request_hash : Buffer.from(text, 'base64'), hash)) throw new ApiError(100012);
    return { body, replayed: true };
  };

  const perform = async (request: IdempotentRequest, slot: Slot, hash: Buffer) => {
    const { context } = request;
    const handle = request.prepare ? await request.prepare() : request.handle;
    const now = clock.now();
    return context.db.write(async (tx) => {
      const body = await handle({ ...context, db: joinTransaction(tx) });
      const stored: StoredAnswer = [hash.toString('base64'), body];
      const sealed = await vault.sealFor(tx, SUBJECT, slotName(slot), Buffer.from(JSON.stringify(stored)));
      const row = { ...slot, request_hash: NO_HASH, sealed, created_at: now, instance_id: request.instanceId ?? null };
      await addAnswer(tx, row, now - KEPT_MS);
      return { body, replayed: false };
    });
  };

  return async (request) => {
    if (!KEY.test(request.key)) {
      throw invalidInput({ pointer: '/headers/idempotency-key', message: 'must be 1 to 255 visible ASCII characters' });
    }
    const { context, operation, key } = request;
    const slot = { operation, key: keyIn(context.principal.environment, key) };
    const name = `${context.tenantId} ${slotName(slot)}`;
    if (inFlight.has(name)) throw new ApiError(100011, { retryAfterSeconds: 1 });
    inFlight.add(name);
    try {
      const hash = createHash('sha256')
        .update(JSON.stringify([context.principal.callerId, request.fingerprint]))
        .digest();
      const find = () => findAnswer(context.db, { ...slot, after: clock.now() - KEPT_MS });
      const row = await find();
      if (row) return await replay(context.db, slot, row, hash);
      try {
        return await perform(request, slot, hash);
      } catch (error) {
        // This transaction was rolled back, perhaps because another server was faster. Then the other answer counts.
        const theirs = await find().catch(() => undefined);
        if (!theirs) throw error;
        return await replay(context.db, slot, theirs, hash);
      }
    } finally {
      inFlight.delete(name);
    }
  };
}

/** Ensures that a test caller cannot occupy a key of a live caller. A caller's own key never contains a space. */
function keyIn(environment: Environment, key: string): string {
  return environment === 'live' ? key : `${environment} ${key}`;
}

/** Removes expired answers, some in each transaction. */
export async function purgeAnswers(db: TenantDb, now: number, signal: AbortSignal): Promise<void> {
  let more = true;
  while (more && !signal.aborted)
    more = await removeSomeExpired(db, { expiredAt: now - KEPT_MS, latestAt: now + KEPT_MS });
}

function slotName({ operation, key }: Slot): string {
  return JSON.stringify([operation, key]);
}
