import { randomBytes } from 'node:crypto';
import type { TenantReads, TenantTx } from '../db/db.ts';
import { isWellFormed, matchCode, normalCode } from '../identity-store/totps/match-code.ts';
import { type ShownSecret, showSecret } from '../identity-store/totps/show-secret.ts';
import type { Vault } from '../secrets/vault.ts';
import type { OperatorRow } from './operators.repository.ts';
import { countFailure, isLockedAt, recogniseSuccess, type SignInResult } from './passkeys.ts';
import { findTotpForUpdate, setTotp, useStep } from './totps.repository.ts';

/** The authenticator apps of operators: codes of RFC 6238, computed by the code of identity stores. */
export type TotpDeps = { vault: Pick<Vault, 'sealFor' | 'openFor'> };

const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps before and after now: clocks of phones differ a little. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const SUBJECT = 'operators';
const contextOf = (operatorId: string) => `operator-totp:${operatorId}`;
const NO_STEP = -1;

type NewSecret = { sealed: Uint8Array; enrolment: ShownSecret };

/** Makes a secret that is not in use before its first code was right. */
export async function newSecret(
  { vault }: TotpDeps,
  tx: TenantTx,
  { operator, tenantName }: { operator: OperatorRow; tenantName: string },
): Promise<NewSecret> {
  const secret = randomBytes(SECRET_BYTES);
  const label = operator.email || operator.name;
  return {
    sealed: await vault.sealFor(tx, SUBJECT, contextOf(operator.id), secret),
    enrolment: showSecret({ ...PARAMETERS, secret }, { issuer: `${tenantName} · Grove`, label }),
  };
}

/** The step of a code that is right and unused. */
async function stepOf(
  { vault }: TotpDeps,
  db: TenantReads,
  { operatorId, sealed, lastStep, code, now }: Checked,
): Promise<number | undefined> {
  const plainCode = normalCode(code);
  if (!isWellFormed(plainCode, PARAMETERS)) return undefined;
  const secret = await vault.openFor(db, SUBJECT, contextOf(operatorId), sealed);
  const match = matchCode({ ...PARAMETERS, secret }, { code: plainCode, window: WINDOW, lastStep, now });
  return match && !match.used ? match.step : undefined;
}

type Checked = { operatorId: string; sealed: Uint8Array; lastStep: number; code: string; now: number };

export async function enrol(
  deps: TotpDeps,
  tx: TenantTx,
  { operatorId, sealed, code, now }: Omit<Checked, 'lastStep'>,
): Promise<boolean> {
  const step = await stepOf(deps, tx, { operatorId, sealed, lastStep: NO_STEP, code, now });
  if (step === undefined) return false;
  await setTotp(tx, { operator_id: operatorId, sealed, last_step: step, created_at: now });
  return true;
}

type Typed = { operator: OperatorRow; code: string; now: number; pending?: Uint8Array | undefined };

/**
 * Recognises the operator, whom the caller has locked, by a code of the app, or of an app that waits for its first
 * code. A failure counts towards the lock and must be committed, so it is no exception.
 */
export async function recogniseCode(deps: TotpDeps, tx: TenantTx, typed: Typed): Promise<SignInResult> {
  const { operator, code, now, pending } = typed;
  if (isLockedAt(operator, now)) return { refused: 'locked', operator };
  const row = await findTotpForUpdate(tx, { operatorId: operator.id });
  const isRight = row
    ? await useCode(deps, tx, { operatorId: operator.id, sealed: row.sealed, lastStep: row.last_step, code, now })
    : pending !== undefined && (await enrol(deps, tx, { operatorId: operator.id, sealed: pending, code, now }));
  if (!isRight) return countFailure(tx, operator, now);
  return { operator: await recogniseSuccess(tx, operator, now), passkeyId: '' };
}

async function useCode(deps: TotpDeps, tx: TenantTx, checked: Checked): Promise<boolean> {
  const step = await stepOf(deps, tx, checked);
  if (step === undefined) return false;
  await useStep(tx, { operatorId: checked.operatorId, step });
  return true;
}
