import { createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { api, Body, Ok, Params, Query } from '@grove/contract';
import {
  CHALLENGE_LIMITS,
  type ChallengeProgress,
  expire,
  type FaceObservation,
  followBlindly,
  followChallenge,
  type NoFace,
  openInstruction,
  wantedFrame,
} from '../engines/vision/challenge.ts';
import { toDtm } from '../kernel/clock.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { RawBody } from '../kernel/implement.ts';
import type { Current } from '../process-manager/engine/state.ts';
import { imageOfFrame } from '../process-manager/engine/steps/face.ts';
import { asksForChallenge } from '../process-manager/engine/steps/registry.ts';
import type { OpenedChallenge } from '../process-manager/faces/challenges.ts';
import type { Snapshot } from '../process-manager/runtime/drive.ts';
import type { ImageRow, JourneyDeps } from './journey-deps.ts';
import type { RefusedRequests } from './refused-requests.ts';
import { attemptOf } from './spend-challenge.ts';
import { currentUserStep, lockJourney, lookAtJourney } from './steps.ts';
import {
  ensureStorable,
  hashOf,
  isStandIn,
  lookAhead,
  makeHarmless,
  type NewImage,
  orDelete,
  putImage,
  type StorableImage,
  sealerOf,
  shareOf,
} from './upload-image.ts';

/**
 * A challenge of active liveness. The server reveals one instruction at a time and analyses each frame when it arrives, so
 * that a film that was made before cannot answer the instructions. `follow.ts` of the vision package decides; this file
 * handles requests, signatures and storage.
 */
type Challenge = Ok<typeof api.journey.createChallenge>;
type Start = Body<typeof api.journey.createChallenge>;
type FrameParams = Params<typeof api.journey.sendFrame>;
type SentFrame = { params: FrameParams; query: Query<typeof api.journey.sendFrame>; body: RawBody };

/** The first frames are large, because one of them becomes the selfie. */
const SELFIE_SIDE = 1280;
const FRAME_SIDE = 480;

export function challengeHandlers(deps: JourneyDeps, refusedRequests: RefusedRequests) {
  return {
    start: (context: JourneyContext, stepId: string, { publicKey, omit = [] }: Start): Promise<Challenge> =>
      context.db.write(async (tx) => {
        const snapshot = await lockJourney(deps, tx, context);
        const current = currentUserStep(snapshot, stepId);
        const step = snapshot.definition.step(stepId);
        if (!step || !asksForChallenge(step)) throw new ApiError(100130);
        const start = { publicKey, omit: [...new Set(omit)] };
        return show(await deps.processes.challenges.start(tx, attemptOf(snapshot, current), start, deps.clock.now()));
      }),

    async sendFrame(context: JourneyContext, input: SentFrame): Promise<Challenge> {
      // The time of arrival counts, because the time that the page reports is only a hint.
      const at = deps.clock.now();
      try {
        return await sendFrame(deps, context, input, at);
      } catch (error) {
        await refusedRequests.note({ tenantId: context.tenantId, instanceId: context.session.instanceId }, at, error);
        throw error;
      }
    },
  };
}

async function sendFrame(
  deps: JourneyDeps,
  context: JourneyContext,
  { params, query, body }: SentFrame,
  at: number,
): Promise<Challenge> {
  const { db } = context;
  const snapshot = await lookAtJourney(deps, context);
  const current = currentUserStep(snapshot, params.stepId);
  const before = await deps.processes.challenges.read(db, snapshot.instance.id, params.challengeId);
  ensureOfAttempt(before, current);
  const sha256 = await hashOf(body.bytes);
  const { token, signature } = query;
  ensureSigned(before.row.public_key, { challengeId: params.challengeId, token, sha256, signature });
  const { environment } = snapshot.root;
  const live = environment === 'live';
  ensureStorable(deps, context, body, environment);
  const frame = { at, token, sha256, capturedAt: query.at ?? null };
  if (!isOpenFor(before, frame)) return takeFrame(deps, context, params, frame);
  const image: StorableImage = isStandIn(body) ? body : await makeHarmless(deps.images, body, shareOf(context));
  const wantedKind = wantedFrame(before.progress);
  const observed = live ? await deps.vision.observeFrame(image.bytes, wantedKind, context.tenantId) : undefined;
  const lookedFrame = { ...frame, storable: image, observation: observed };
  return takeFrame(deps, context, params, lookedFrame, await putFrame(deps, context, snapshot, before, lookedFrame));
}

type LookedFrame = {
  readonly at: number;
  readonly token: string;
  readonly sha256: string;
  readonly capturedAt: number | null;
  /** Undefined if the instruction of the frame was not open. */
  readonly storable?: StorableImage;
  /** Undefined if no machine analyses the frame, as in the sandbox. */
  readonly observation?: FaceObservation | NoFace | undefined;
};

type StoredFrame = { readonly image: NewImage; readonly row: ImageRow };

/**
 * Stores the bytes of a frame that ends an instruction or shows its movement. The transaction that accepts the frame records
 * them afterwards: otherwise a server that dies in between would leave a challenge without its pictures.
 */
async function putFrame(
  deps: JourneyDeps,
  context: JourneyContext,
  snapshot: Snapshot,
  before: OpenedChallenge,
  frame: LookedFrame,
): Promise<StoredFrame | undefined> {
  const { storable, sha256 } = frame;
  const { image: name } = isAcceptable(before, frame) ? follow(before.progress, frame) : {};
  if (!storable || !name) return undefined;
  const { step, attempt } = before.row;
  const seal = await sealerOf(deps, context, snapshot);
  const ahead = name === 'image' && frame.observation ? ('face' as const) : undefined;
  const image = { instanceId: snapshot.instance.id, current: { step, attempt }, seal, name, storable, sha256, ahead };
  return { image, row: await putImage(deps, context, image) };
}

/** Accepts or refuses the frame in one transaction, and returns the next state of the challenge. */
async function takeFrame(
  deps: JourneyDeps,
  context: JourneyContext,
  { stepId, challengeId }: FrameParams,
  frame: LookedFrame,
  stored?: StoredFrame,
): Promise<Challenge> {
  const take = () =>
    context.db.write(async (tx) => {
      const snapshot = await lockJourney(deps, tx, context);
      const current = currentUserStep(snapshot, stepId);
      const before = await deps.processes.challenges.read(tx, snapshot.instance.id, challengeId);
      ensureOfAttempt(before, current);
      const result = isAcceptable(before, frame) ? follow(before.progress, frame) : undefined;
      // If another frame came in between, this one would need another name.
      const accepted = result !== undefined && (!result.image || result.image === stored?.row.name);
      const progress = accepted ? result.progress : expire(before.progress, frame.at);
      const after = progress === before.progress ? before : await deps.processes.challenges.save(tx, before, progress);
      const isRecorded = accepted && result.image !== undefined;
      if (stored && isRecorded) {
        const replaced = await deps.processes.saveImages(tx, [stored.row], snapshot.images);
        if (replaced.length > 0) await deps.processes.deleteBlobs(tx, replaced);
      }
      return { after, accepted, isRecorded, hint: accepted ? result.hint : undefined };
    });
  const { after, accepted, isRecorded, hint } = await (stored ? orDelete(deps, stored.row, take) : take());
  if (stored && isRecorded) lookAhead(deps, context, stored.image, stored.row);
  else if (stored) await deps.blobs.delete(stored.row.blob_key).catch(() => undefined);
  const revealedAt = openInstruction(after.progress)?.revealedAt ?? 0;
  const wait = Math.min(revealedAt - deps.clock.now(), CHALLENGE_LIMITS.revealPauseMs);
  if (wait > 0) await pause(wait);
  return { ...show(after), accepted, ...(hint && { hint }) };
}

type FollowResult = { progress: ChallengeProgress; hint?: string | undefined; image?: string | undefined };

/** The new progress of the challenge, and the name under which the frame is stored, if it is worth storing. */
function follow(before: ChallengeProgress, frame: LookedFrame): FollowResult {
  const number = before.instructions.length - 1;
  const late = expire(before, frame.at);
  if (late !== before) return { progress: late };
  const { at, capturedAt, sha256, observation } = frame;
  const { progress, hint } = observation
    ? followChallenge(before, { at, capturedAt, sha256, observation }, randomBytes)
    : { progress: followBlindly(before, at, randomBytes), hint: undefined };
  const wasMoved = phaseOf(before) === 'do' && phaseOf(progress) === 'return';
  const isOver = progress.instructions.length > before.instructions.length || progress.state === 'DONE';
  return { progress, hint, image: isOver || wasMoved ? imageOfFrame(number, wasMoved) : undefined };
}

function phaseOf(progress: ChallengeProgress): 'do' | 'return' | undefined {
  return openInstruction(progress)?.phase;
}

/** Ensures that the challenge belongs to the current attempt. Refuses with 100132. */
function ensureOfAttempt(
  challenge: OpenedChallenge | undefined,
  { step, attempt }: Current,
): asserts challenge is OpenedChallenge {
  const { row } = challenge ?? {};
  if (row?.step !== step || row.attempt !== attempt || row.state === 'USED') throw new ApiError(100132);
}

/** Whether the frame carries the token of the open instruction, and arrived after it was revealed and before it expired. */
function isOpenFor({ row, progress }: OpenedChallenge, { token, at }: Pick<LookedFrame, 'token' | 'at'>): boolean {
  const open = row.state === 'OPEN' ? openInstruction(progress) : undefined;
  return open !== undefined && token === row.token && at >= open.revealedAt;
}

/** Whether the frame counts for the open instruction. */
function isAcceptable(challenge: OpenedChallenge, frame: LookedFrame): boolean {
  return frame.storable !== undefined && isOpenFor(challenge, frame) && frame.at >= lastArrival(challenge.progress);
}

function lastArrival({ frames }: ChallengeProgress): number {
  return frames.at(-1)?.at ?? 0;
}

function show({ row, progress }: OpenedChallenge): Challenge {
  // A new start ends the challenge in its row, not in its progress.
  const state = row.state === 'OPEN' ? progress.state : row.state === 'DONE' ? 'DONE' : 'ENDED';
  const open = state === 'OPEN' ? openInstruction(progress) : undefined;
  const { instructions, total, reason, startedAt, neutral } = progress;
  return {
    challengeId: row.id,
    state,
    number: instructions.length,
    total,
    ...(state === 'ENDED' && { reason: reason ?? 'too_slow' }),
    ...(open && {
      instruction: {
        kind: open.movement,
        phase: open.phase,
        token: row.token,
        longestSide: neutral ? FRAME_SIDE : SELFIE_SIDE,
        expiringDtm: toDtm(open.revealedAt + CHALLENGE_LIMITS.instructionMs),
      },
    }),
    expiringDtm: toDtm(state === 'DONE' ? row.expires_at : startedAt + CHALLENGE_LIMITS.challengeMs),
  };
}

type SignedFrame = {
  readonly challengeId: string;
  readonly token: string;
  /** The hash of the frame in hex. */
  readonly sha256: string;
  readonly signature: string;
};

/**
 * Ensures that a frame comes from the page that started the challenge, which alone can sign with its key: a stolen cookie is
 * not enough to add frames. It does not prove the origin of the pictures. Refuses with 100180.
 */
function ensureSigned(publicKey: string, { challengeId, token, sha256, signature }: SignedFrame): void {
  const text = Buffer.from(`${challengeId}.${token}.${sha256}`);
  if (!isSigned(publicKey, text, Buffer.from(signature, 'base64url'))) throw new ApiError(100180);
}

function isSigned(publicKey: string, text: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: JSON.parse(publicKey) as JsonWebKey, format: 'jwk' });
    return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    // The point of the key is not on the curve.
    return false;
  }
}
