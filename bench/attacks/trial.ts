import { setTimeout as wait } from 'node:timers/promises';
import { makeSpecimen } from '@grove/vision';
import sharp from 'sharp';
import { type Challenge, openChallengePage } from '../../packages/server/test/challenge.ts';
import { type EndUser, startJourney } from '../../packages/server/test/end-user.ts';
import type { TestApp } from '../../packages/server/test/harness.ts';
import { RecordingOver } from '../../packages/vision/test/recording.ts';
import type { Attack } from './attack-list.ts';
import type { Faces } from './faces.ts';
import type { Still } from './render-head.ts';

/** `not played`: the recording does not show what was asked for. */
export type AttackOutcome = 'accepted' | 'review' | 'refused' | 'not played';
export type TrialResult = {
  readonly outcome: AttackOutcome;
  /** What spoke against it. */
  readonly signs: readonly string[];
  readonly measures: Readonly<Record<string, number | null>>;
};

const FACE_STEP = { id: 'selfie', type: 'face', key: 'face1', liveness: 'active', maxAttempts: 1 };
const DECISION = { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW', onUncertain: 'REVIEW' };
const DEFINITIONS = {
  /** Only liveness: the attacker is taken to have a document that fits. */
  attacked: [FACE_STEP, DECISION],
  'attacked-with-document': [
    { id: 'document', type: 'document', key: 'doc1', accept: ['PASSPORT'] },
    FACE_STEP,
    { id: 'match', type: 'faceMatch', document: 'doc1', face: 'face1' },
    DECISION,
  ],
};
const MAX_LOOKS = 1200;
const LOOK_MS = 50;
const MAX_STARTS = 3;
const VALID = { issueDate: '2020-01-01', expiryDate: '2029-12-31' };

export async function openTrial(app: TestApp) {
  const token = await app.token();
  await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens: true } });
  for (const [name, steps] of Object.entries(DEFINITIONS)) {
    const body = { name, processDefinitionType: 'VERIFICATION', steps };
    const created = await app.client.processDefinitions.create({ body: body as never });
    await app.call(`/api/process-manager/processDefinitions/${created.id}/deploy`, { method: 'POST' });
  }

  async function checksOf(user: EndUser): Promise<readonly CheckOfResult[]> {
    await machineDone(user);
    const id = user.processInstanceId;
    const { body: instance } = await app.call(`/api/process-manager/processInstances/${id}`, { token });
    const instancePath = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${id}`;
    return (await app.call(`${instancePath}/userdata/checks`, { token })).body;
  }

  return {
    async run(attack: Attack, faces: Faces, at: number): Promise<TrialResult> {
      const processDefnName = attack.document ? 'attacked-with-document' : 'attacked';
      const { user } = await startJourney(app, app.apiKey, { processDefnName });
      if (attack.document) await showDocument(user, attack.document(faces, at), at);
      const challenge = await play(app, user, attack, faces, at);
      if (challenge === 'over') return { outcome: 'not played', signs: [], measures: {} };
      if (challenge.state !== 'DONE') return { outcome: 'refused', signs: [challenge.reason ?? 'ended'], measures: {} };
      await user.submit('selfie', { challengeId: challenge.challengeId });
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

/** Waits until no machine is at work for the journey any more. */
async function machineDone(user: EndUser): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS && (await user.look()).waitingFor === 'check'; looks += 1) await wait(LOOK_MS);
}

type CheckOfResult = {
  readonly name: string;
  readonly status: string;
  readonly score?: number;
  readonly metaData?: Readonly<Record<string, never>>;
};

/**
 * A recording that leaves out movements is for a human because of that, and so is one whose moments are not played in their
 * order: the face jumps. Whatever else was found is what is measured.
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

/** A passport with the face of the victim. */
async function showDocument(user: EndUser, { data, width, height }: Still, seed: number): Promise<void> {
  const raw = { width, height, channels: 3 } as const;
  const portrait = await sharp(data, { raw }).resize(340, 434, { fit: 'cover' }).jpeg().toBuffer();
  const photograph = { tilt: 2, yaw: 2, noise: 2 };
  const { jpeg } = await makeSpecimen({ kind: 'passport', seed, person: VALID, portrait, photograph });
  const headers = { 'content-type': 'image/jpeg' };
  await user.call('/steps/document/images/front', { method: 'POST', body: jpeg as never, headers });
  await user.submit('document');
  await machineDone(user);
}
