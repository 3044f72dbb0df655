import { setTimeout as sleep } from 'node:timers/promises';
import { makeSpecimen } from '@grove/vision';
import sharp from 'sharp';
import { openRecording, PORTRAIT_AT, type Recording } from '../../../vision/test/recording.ts';
import { openChallengePage } from '../challenge.ts';
import { codeOf, type EndUser, enter, type Journey, type Reachable } from '../end-user.ts';
import { type Answer, fetchAnswer } from '../record-answers.ts';

/**
 * End users and their back end, at any server that answers. Like pages, they repeat a request that got no answer or
 * 503, and read the journey again when a step was refused.
 */
export type Environment = 'live' | 'test';
export type Person = {
  readonly environment: Environment;
  readonly number: number;
  id?: string;
  /** The current activity of the person: waiting for a check, or before the camera. */
  phase?: 'check' | 'camera';
  /** The step whose images are checked, or that is being done. */
  step?: string;
  /** The number of challenges that were started. */
  challenges: number;
  end?: Journey;
};

export type Back = {
  call: Reachable['call'];
  /** A bearer token of each environment. */
  bearers: Record<Environment, string>;
  /** A process token of each environment. */
  tokens: Record<Environment, string>;
};

/** The passport, and the person on its photograph before the camera. */
export type Material = { readonly passport: Buffer; readonly recording: Recording };

const RETRY_MS = 100;
const ANSWERS_WITHIN_MS = 120_000;
const REQUEST_MS = 40_000;
const MAX_LOOKS = 6000;
const LOOK_EVERY_MS = 200;
const MAX_ATTEMPTS = 40;
/** Enough challenges for a whole journey with one or two failovers. */
const MAX_CHALLENGES = 6;
/** Statuses after which another server may answer. */
const TEMPORARY = new Set([502, 503, 504]);

export async function openMaterial(): Promise<Material> {
  const recording = await openRecording();
  const cut = { left: 120, top: 60, width: 170, height: 217 };
  const portrait = await sharp(recording.at(PORTRAIT_AT)).extract(cut).jpeg().toBuffer();
  const person = { issueDate: '2020-01-01', expiryDate: '2029-12-31' };
  const photograph = { tilt: 4, yaw: 5, noise: 2 };
  const { jpeg } = await makeSpecimen({ kind: 'passport', seed: 3, person, portrait, photograph });
  return { passport: jpeg, recording };
}

/** Calls the next server until one answers. */
export function reach(servers: readonly { readonly url: string }[]): Reachable['call'] {
  let turn = 0;
  return async (path, { token, headers, ...init } = {}) => {
    let last: unknown;
    for (const until = Date.now() + ANSWERS_WITHIN_MS; Date.now() < until; await sleep(RETRY_MS)) {
      turn += 1;
      const { url } = servers[turn % servers.length] as { url: string };
      try {
        const answer = await fetchAnswer(`${url}${path}`, {
          redirect: 'manual',
          ...init,
          signal: AbortSignal.timeout(REQUEST_MS),
          headers: {
            ...(typeof init.body === 'string' && { 'Content-Type': 'application/json' }),
            ...(token && { Authorization: `Bearer ${token}` }),
            ...(headers as Record<string, string>),
          },
        });
        if (!TEMPORARY.has(answer.status)) return answer;
        last = answer.text;
      } catch (error) {
        last = error;
      }
    }
    const reason = last instanceof Error ? last.message : last;
    throw new Error(`no server answers ${path}: ${reason}`, { cause: last });
  };
}

/** Exchanges an API key for a bearer token. */
export async function issue(call: Back['call'], apiKey: string): Promise<string> {
  const headers = { 'X-Api-Key': apiKey };
  return (await call('/api/arthr/apiKeys/issue', { method: 'POST', token: null, headers })).body.token;
}

/** Starts a journey and runs it to its end. Only a live one needs the material. */
export async function goThrough(back: Back, person: Person, material: Material | undefined): Promise<void> {
  const { environment, number } = person;
  const token = back.bearers[environment];
  const created = await back.call(`/api/process-manager/processInstances/create?pt=${back.tokens[environment]}`, {
    method: 'POST',
    body: '{}',
    token,
    headers: { 'Idempotency-Key': `${environment}-${number}` },
  });
  if (created.status !== 201) throw new Error(created.text);
  person.id = created.body.processInstanceId as string;
  const user = enter({ call: back.call, logged: () => '' }, await openSession(back, person, created.body.redirectUrl));
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const now = await untilSettled(user, person);
    if (!now.step) {
      person.end = now;
      return;
    }
    await takeStep(user, person, now.step, material);
  }
  throw new Error(`a journey of ${environment} does not end`);
}

/** If the answer with the cookie was lost, the code is used up, and the back end requests another link. */
async function openSession(back: Back, { id, environment }: Person, redirectUrl: string): Promise<Answer> {
  let code = codeOf(redirectUrl);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const body = JSON.stringify({ code });
    const opened = await back.call('/api/journey/sessions', { method: 'POST', body, token: null });
    if (opened.status === 200) return opened;
    const link = await back.call(`/api/process-manager/processInstances/${id}/resumeLink`, {
      method: 'POST',
      token: back.bearers[environment],
    });
    if (link.status !== 200 && link.status !== 201) throw new Error(`${opened.text} ${link.text}`);
    code = codeOf(link.body.redirectUrl);
  }
  throw new Error('no session can be opened');
}

async function untilSettled(user: EndUser, person: Person): Promise<Journey> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const now = await user.look();
    if (now.waitingFor !== 'check') {
      delete person.phase;
      return now;
    }
    person.phase = 'check';
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`the pictures of ${person.id} (${person.environment}, ${person.step}) are never checked`);
}

type Step = { id: string; type: string };

async function takeStep(
  user: EndUser,
  person: Person,
  { id, type }: Step,
  material: Material | undefined,
): Promise<void> {
  const isLive = person.environment === 'live' && material !== undefined;
  person.step = id;
  if (type === 'document') await show(user, id, 'front', isLive ? material.passport : undefined);
  let result: object = type === 'consent' ? { accepted: true } : {};
  if (type === 'face' && isLive) {
    const challengeId = await answerChallenge(user, person, id, material);
    // The challenge ended without success: the journey shows what is next.
    if (!challengeId) return;
    result = { challengeId };
  } else if (type === 'face') await show(user, id, 'image', undefined);
  const answer = await user.submit(id, result);
  // A step that was accepted although its answer was lost is no longer the current one.
  if (answer.status !== 200 && answer.status !== 409) throw new Error(`${id}: ${answer.text}`);
}

async function show(user: EndUser, step: string, name: string, jpeg: Buffer | undefined): Promise<void> {
  const answer = jpeg
    ? await user.call(`/steps/${step}/images/${name}`, {
        method: 'POST',
        body: jpeg as never,
        headers: { 'content-type': 'image/jpeg' },
      })
    : await user.upload(step, name, { person: 'ada' });
  if (answer.status !== 200 && answer.status !== 409) throw new Error(answer.text);
}

async function answerChallenge(user: EndUser, person: Person, step: string, { recording }: Material) {
  person.challenges += 1;
  if (person.challenges > MAX_CHALLENGES) throw new Error('the challenge never succeeds');
  person.phase = 'camera';
  const clock = { now: () => Date.now(), advance: (ms: number) => sleep(ms) };
  const challenge = await openChallengePage(user, step, clock).answer(recording.actor().frame);
  delete person.phase;
  return challenge.state === 'DONE' ? challenge.challengeId : undefined;
}
