import { makeSpecimen } from '@grove/vision';
import sharp from 'sharp';
import { type Challenge, openChallengePage } from '../../packages/server/test/challenge.ts';
import { type EndUser, startJourney } from '../../packages/server/test/end-user.ts';
import type { TestApp } from '../../packages/server/test/harness.ts';
import { RecordingOver } from '../../packages/vision/test/recording.ts';
import type { Attack } from './attack-list.ts';
import type { Faces } from './faces.ts';
import type { Still } from './still.ts';

/** `not played`: the recording does not show the requested movements. */
export type AttackOutcome = 'accepted' | 'review' | 'refused' | 'not played';
export type TrialResult = {
  readonly outcome: AttackOutcome;
  /** The signs of an attack. */
  readonly signs: readonly string[];
  readonly measures: Readonly<Record<string, number | null>>;
};

/** For recordings of people, who have no document: only liveness is judged. */
const LIVENESS_ONLY = {
  name: 'liveness-only',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'active', maxAttempts: 1 },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW', onUncertain: 'REVIEW' },
  ],
};
/** For attacks: this definition comes with Grove and asks for a passport first. */
const SHIPPED = 'document-and-selfie';
const MAX_STARTS = 3;
const FRAME_MS = 300;
const VALID = { issueDate: '2020-01-01', expiryDate: '2029-12-31' };

export async function openTrial(app: TestApp) {
  const token = await app.token();
  await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens: true } });
  const created = await app.client.processDefinitions.create({ body: LIVENESS_ONLY as never });
  await app.call(`/api/process-manager/processDefinitions/${created.id}/deploy`, { method: 'POST' });
  /** A journey whose document was read and which has no answered challenge yet, so that the attacker can start again. */
  let waiting: { user: EndUser; document: Still; starts: number } | undefined;

  async function checksOf(user: EndUser): Promise<readonly CheckOfResult[]> {
    await user.settled(app.clock);
    const id = user.processInstanceId;
    const { body: instance } = await app.call(`/api/process-manager/processInstances/${id}`, { token });
    const instancePath = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${id}`;
    return (await app.call(`${instancePath}/userdata/checks`, { token })).body;
  }

  async function journeyOf(attack: Attack, faces: Faces, at: number): Promise<EndUser> {
    const document = attack.document?.(faces, at);
    const isUsable = waiting && waiting.document === document && waiting.starts < MAX_STARTS && !attack.firstMovement;
    if (waiting && isUsable) {
      waiting.starts += 1;
      return waiting.user;
    }
    const { user } = await startJourney(app, app.apiKey, { processDefnName: document ? SHIPPED : LIVENESS_ONLY.name });
    waiting = document && { user, document, starts: 1 };
    if (document) {
      await user.submit('consent', { accepted: true });
      await showDocument(app, user, document, at);
    }
    return user;
  }

  return {
    async run(attack: Attack, faces: Faces, at: number): Promise<TrialResult> {
      const user = await journeyOf(attack, faces, at);
      const challenge = attack.isEarly
        ? await sendEarly(app, user, attack.play(faces, at))
        : await play(app, user, attack, faces, at);
      if (challenge === 'over') return { outcome: 'not played', signs: [], measures: {} };
      if (challenge.state !== 'DONE' && !attack.isEarly)
        return { outcome: 'refused', signs: [challenge.reason ?? 'ended'], measures: {} };
      const { status, body } = await user.submit('selfie', { challengeId: challenge.challengeId });
      if (status !== 200) return { outcome: 'refused', signs: [`code ${body.code}`], measures: {} };
      waiting = undefined;
      const checks = await checksOf(user);
      const judgements = [
        toResult(checks, 'liveness', attack.isCut),
        ...(attack.document ? [toResult(checks, 'faceMatch')] : []),
      ];
      const worst = (['refused', 'review', 'accepted'] as const).find((each) =>
        judgements.some((one) => one.outcome === each),
      );
      return {
        outcome: worst ?? 'refused',
        signs: judgements.flatMap(({ signs }) => signs),
        measures: Object.assign({}, ...judgements.map(({ measures }) => measures)),
      };
    },
  };
}

/** How many frames the attacker sends before the first instruction. */
const EARLY_FRAMES = 24;

/** Sends the pictures of the step, then all frames, without reading the instruction. */
async function sendEarly(app: TestApp, user: EndUser, player: ReturnType<Attack['play']>): Promise<Challenge> {
  const frames: Buffer[] = [];
  for (let count = 0; count < EARLY_FRAMES; count += 1) frames.push(await player.frame(app.clock.now()));
  const headers = { 'content-type': 'image/jpeg' };
  const names = ['image', ...Array.from({ length: 10 }, (_, at) => `frame${at + 1}`)];
  for (const [at, name] of names.entries())
    await user.call(`/steps/selfie/images/${name}`, { method: 'POST', body: frames[at] as never, headers });
  const page = openChallengePage(user, 'selfie', app.clock);
  const { status, text, body } = await page.start();
  if (status !== 201) throw new Error(text);
  let last = body as Challenge;
  for (const frame of frames) {
    app.clock.advance(FRAME_MS);
    const token = (body as Challenge).instruction?.token ?? '';
    const answer = await page.send(last, frame, { token });
    if (answer.status !== 200) break;
    last = answer.body as Challenge;
  }
  return last;
}

type CheckOfResult = {
  readonly name: string;
  readonly status: string;
  readonly score?: number;
  readonly metaData?: Readonly<Record<string, never>>;
};

/**
 * A recording that omits movements always needs a human, and so does one whose moments are not played in their order,
 * because the face jumps. These signs are expected; the result has only the other signs.
 */
function toResult(checks: readonly CheckOfResult[], name: string, isCut = false): TrialResult {
  const check = checks.find((each) => each.name === name);
  const { refused = [], doubtful = [], hints = [], measures = {} } = (check?.metaData ?? {}) as Record<string, never>;
  const signs = [...(refused as string[]), ...(doubtful as string[]), ...(hints as string[])];
  const own = ['movements_omitted', ...(isCut ? ['not_continuous'] : [])];
  const others = signs.filter((sign) => !own.includes(sign));
  const isOnlyOwn = check?.status === 'REVIEW' && signs.length > 0 && others.length === 0;
  const outcome =
    check?.status === 'PASSED' || isOnlyOwn ? 'accepted' : check?.status === 'REVIEW' ? 'review' : 'refused';
  const mismatch = name === 'faceMatch' && outcome !== 'accepted' ? ['no_match'] : [];
  return {
    outcome,
    signs: [...others, ...mismatch],
    measures: name === 'liveness' ? measures : { match: check?.score ?? null },
  };
}

async function play(
  app: TestApp,
  user: EndUser,
  attack: Attack,
  faces: Faces,
  at: number,
): Promise<Challenge | 'over'> {
  let player = attack.play(faces, at);
  let open = '';
  let starts = 1;
  const page = openChallengePage(user, 'selfie', app.clock);
  try {
    return await page.answer(
      (instruction) => {
        const now = app.clock.now();
        if (open !== `${instruction.token} ${instruction.phase}`) player.follow(instruction, now - 300);
        open = `${instruction.token} ${instruction.phase}`;
        return player.frame(now);
      },
      {
        omit: attack.omit?.(faces, at) ?? [],
        startsAgain({ number, instruction }) {
          const wantedMovement = attack.firstMovement;
          if (!wantedMovement || starts === MAX_STARTS || number !== 2 || instruction?.kind === wantedMovement)
            return false;
          starts += 1;
          player = attack.play(faces, at);
          return true;
        },
      },
    );
  } catch (error) {
    if (error instanceof RecordingOver) return 'over';
    throw error;
  }
}

const passports = new WeakMap<Still, Buffer>();

/** Draws a passport with the face of the victim, the same passport each time. */
async function passportOf(victim: Still, seed: number): Promise<Buffer> {
  const { data, width, height } = victim;
  const raw = { width, height, channels: 3 } as const;
  const portrait = await sharp(data, { raw }).resize(340, 434, { fit: 'cover' }).jpeg().toBuffer();
  const photograph = { tilt: 2, yaw: 2, noise: 2 };
  const { jpeg } = await makeSpecimen({ kind: 'passport', seed, person: VALID, portrait, photograph });
  passports.set(victim, jpeg);
  return jpeg;
}

async function showDocument(app: TestApp, user: EndUser, victim: Still, seed: number): Promise<void> {
  const jpeg = passports.get(victim) ?? (await passportOf(victim, seed));
  const headers = { 'content-type': 'image/jpeg' };
  await user.call('/steps/document/images/front', { method: 'POST', body: jpeg as never, headers });
  await user.submit('document');
  await user.settled(app.clock);
}
