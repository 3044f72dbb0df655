import type { api, Params } from '@grove/contract';
import type { TenantReads } from '../db/db.ts';
import { type BytesAnswer, stream } from '../kernel/answers.ts';
import { MINUTE } from '../kernel/clock.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Current, isFinal } from '../process-manager/engine/state.ts';
import { wantedImages } from '../process-manager/engine/steps/registry.ts';
import { earlierAttempts } from '../process-manager/engine/walk.ts';
import { streamImage } from '../process-manager/images/read-image.ts';
import type { Snapshot } from '../process-manager/runtime/drive.ts';
import type { ImageRow, JourneyDeps } from './journey-deps.ts';
import { findSession } from './sessions.repository.ts';
import { currentUserStep } from './steps.ts';

type ImageParams = Params<typeof api.journey.getImage>;

/** An end user who comes back later takes a new photograph and need not see this one. */
const SHOWN_FOR_MS = 30 * MINUTE;

/**
 * Shows the image that the end user has just sent, as it was stored: the page of a PDF, or a picture that was not good
 * enough. Only the acting device sees it, and only during the step.
 */
export function imageShower(deps: JourneyDeps) {
  return async ({ db, session, now }: JourneyContext, { stepId, imageName }: ImageParams): Promise<BytesAnswer> => {
    const snapshot = await deps.processes.drive.look(db, session.instanceId);
    if (!snapshot) throw new ApiError(100022);
    if (isFinal(snapshot.root.status)) throw new ApiError(100057);
    const current = currentUserStep(snapshot, stepId);
    const rows = await deps.processes.imagesOf(db, snapshot.instance.id);
    const row = newestOf(rows, { ...current, earlier: earlierAttempts(snapshot.state, stepId), name: imageName });
    const isShown = row && isSent(snapshot, stepId, imageName) && now - row.created_at <= SHOWN_FOR_MS;
    if (!isShown || !(await wasSentDuring(db, session.sessionId, row.created_at))) throw new ApiError(100156);
    return stream(row.content_type, await streamImage(deps, db, row), { 'content-length': String(row.bytes) });
  };
}

/** Ensures that a session shows only images that were sent after it began: a stolen link must not show earlier ones. */
async function wasSentDuring(db: TenantReads, sessionId: string, sentAt: number): Promise<boolean> {
  const row = await findSession(db, { id: sessionId });
  return row !== undefined && row.created_at <= sentAt;
}

/** True for images that the end user sent; crops made by the engine are not shown. */
function isSent({ definition }: Snapshot, stepId: string, imageName: string): boolean {
  const step = definition.step(stepId);
  return step !== undefined && wantedImages(step).some(({ name }) => name === imageName);
}

type WantedImage = Pick<Current, 'step' | 'attempt'> & { earlier: number; name: string };

/** The newest picture of the step. Skips stand-ins of the sandbox, and attempts before a reviewer asked for the step again. */
function newestOf(rows: readonly ImageRow[], { step, attempt, earlier, name }: WantedImage): ImageRow | undefined {
  const own = rows.filter((row) => row.step === step && row.name === name && row.content_type === 'image/jpeg');
  const of = (wantedAttempt: number) => own.find((row) => row.attempt === wantedAttempt && wantedAttempt > earlier);
  return of(attempt) ?? of(attempt - 1);
}
