import type { api, Params } from '@grove/contract';
import { type Produced, stream } from '../kernel/answers.ts';
import { MINUTE } from '../kernel/clock.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Current, isFinal } from '../process-manager/engine/state.ts';
import { wantedImages } from '../process-manager/engine/steps/registry.ts';
import { earlierAttempts } from '../process-manager/engine/walk.ts';
import { streamImage } from '../process-manager/images/read-image.ts';
import type { Look } from '../process-manager/runtime/drive.ts';
import type { ImageRow, JourneyDeps } from './journey-deps.ts';
import { currentUserStep } from './steps.ts';

type Place = Params<typeof api.journey.getImage>;

/** Whoever comes back later, perhaps by a link on another device, takes another photograph and need not see this one. */
const SHOWN_FOR_MS = 30 * MINUTE;

/**
 * What the end user has just sent, as it was kept: what became of a PDF, or what was not good enough. Only for the device
 * that acts, and only as long as the step is waited for.
 */
export function imageShower(deps: JourneyDeps) {
  return async ({ db, session, now }: JourneyContext, { stepId, imageName }: Place): Promise<Produced> => {
    const look = await deps.processes.drive.look(db, session.instanceId);
    if (!look) throw new ApiError(100022);
    if (isFinal(look.root.status)) throw new ApiError(100057);
    const current = currentUserStep(look, stepId);
    const earlier = earlierAttempts(look.state, stepId);
    const row = newestOf(await deps.processes.imagesOf(db, look.instance.id), { ...current, earlier, name: imageName });
    if (!row || !isSent(look, stepId, imageName) || now - row.created_at > SHOWN_FOR_MS) throw new ApiError(100156);
    return stream(row.content_type, await streamImage(deps, db, row), { 'content-length': String(row.bytes) });
  };
}

/** What machines cut out of it is not for the end user. */
function isSent({ definition }: Look, stepId: string, imageName: string): boolean {
  const step = definition.step(stepId);
  return step !== undefined && wantedImages(step).some(({ name }) => name === imageName);
}

type Wanted = Pick<Current, 'step' | 'attempt'> & { earlier: number; name: string };

/** What stands in for an image in the sandbox cannot be seen; and a reviewer has asked for more than what was before. */
function newestOf(rows: readonly ImageRow[], { step, attempt, earlier, name }: Wanted): ImageRow | undefined {
  const own = rows.filter((row) => row.step === step && row.name === name && row.content_type === 'image/jpeg');
  const of = (wanted: number) => own.find((row) => row.attempt === wanted && wanted > earlier);
  return of(attempt) ?? of(attempt - 1);
}
