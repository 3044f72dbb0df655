import { getPersonalSeal, type PersonalSeal, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { findCompiled } from '../definitions/compiled-definition.ts';
import type { Definition } from '../engine/definition.ts';
import type { Flow } from '../engine/state.ts';
import { findJourney } from '../instances/journeys.repository.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import { findProcessSettings, type ProcessSettings } from '../settings/settings.repository.ts';
import { addVerdict, openVerdicts, type Verdict, type VerdictRow } from './verdicts.repository.ts';

/**
 * The four-eyes rule. A round begins when an instance comes to the reviewers, and ends with the decision. If two people must
 * agree, a verdict decides only if the last one of the round is the same and came from another person. API keys cannot give
 * such verdicts, because one person can create two keys.
 */
export const commentPlace = (id: string) => `verdict:${id}`;

type Input = { status: Verdict; comment: string; reviewer: string };

/**
 * Stores the verdict. Resolves to true if it decides. With the four-eyes rule it refuses an API key with 100360, and two
 * verdicts in a row of the same operator with 100300.
 */
export async function giveVerdict(context: Context, tx: TenantTx, row: InstanceRow, input: Input): Promise<boolean> {
  const { now, principal } = context;
  const enteredAt = await enteredAtOf(tx, row);
  const needsTwo = input.status !== 'ASKED_AGAIN' && (await mustTwoAgree(tx, row));
  if (needsTwo && !principal.operator) throw new ApiError(100360);
  const last = needsTwo ? ofRound(await openVerdicts(tx, { instanceIds: [row.id] }), enteredAt).at(-1) : undefined;
  if (last?.caller_id === principal.callerId) throw new ApiError(100300);
  const decides = !needsTwo || last?.verdict === input.status;
  // Verdicts are in the order of their ids, also those of one millisecond.
  const at = Math.max(now, (last?.at ?? 0) + 1);
  const id = newId(at);
  await addVerdict(tx, {
    id,
    instance_id: row.id,
    environment: row.environment,
    definition_id: row.definition_id,
    at,
    entered_at: enteredAt,
    verdict: input.status,
    reviewer: input.reviewer,
    caller_id: principal.callerId,
    decides: decides ? 1 : 0,
    sealed: (await getPersonalSeal(tx)).seal(commentPlace(id), input.comment),
  });
  return decides;
}

/** The verdicts of the current round, which began when the instance came to the reviewers. */
export function ofRound(verdicts: readonly VerdictRow[], enteredAt: number): VerdictRow[] {
  return verdicts.filter(({ entered_at }) => entered_at === enteredAt);
}

async function enteredAtOf(db: TenantReads, row: InstanceRow): Promise<number> {
  const journey = await findJourney(db, { instanceId: row.id });
  const flow = journey && (JSON.parse(journey.state) as Flow);
  return flow?.current?.enteredAt ?? row.last_updated_at;
}

async function mustTwoAgree(db: TenantReads, { id, definition_id, environment }: InstanceRow): Promise<boolean> {
  const settings = await findProcessSettings(db, environment);
  return needsTwoPeople(id, settings, (await findCompiled(db, definition_id))?.definition, await db.personal());
}

type TwoSettings = Pick<ProcessSettings, 'fourEyes' | 'secondReviewPercent'>;

/**
 * Whether two people must agree on the instance. A keyed hash of the id chooses the sample: a reviewer who could foresee
 * it would be honest where it matters and nowhere else.
 */
export function needsTwoPeople(
  instanceId: string,
  { fourEyes, secondReviewPercent }: TwoSettings,
  definition: Pick<Definition, 'fourEyes'> | undefined,
  seal: Pick<PersonalSeal, 'hashOf'> | undefined,
): boolean {
  if (fourEyes || definition?.fourEyes === true) return true;
  // Rows of an earlier release, before its key is made.
  if (!seal) return false;
  const hash = Buffer.from(seal.hashOf('reviews', instanceId), 'base64url').readUInt32BE();
  return (100 * hash) / 2 ** 32 < secondReviewPercent;
}
