import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, TestApp, TestClock } from './harness.ts';

/** An end user without a browser: redeems a code, keeps the cookie, and follows the steps. */
export type EndUser = {
  processInstanceId: string;
  cookie: string;
  call(path?: string, init?: RequestInit): Promise<Answer>;
  /** The current state of the journey. */
  look(): Promise<Journey>;
  /**
   * The state of the journey once no work is pending. For real engines, which take longer, pass the clock of the
   * server: it advances meanwhile, because otherwise a job that failed on a busy machine is never tried again.
   */
  settled(clock?: Pick<TestClock, 'advance'>): Promise<Journey>;
  submit(step: string, result?: object): Promise<Answer>;
  /** A JSON document in place of an image. */
  upload(step: string, image: string, standIn?: object): Promise<Answer>;
  /** Submits the steps of a shipped definition without any mistake. */
  finish(): Promise<Journey>;
};

// biome-ignore lint/suspicious/noExplicitAny: the tests say what it should be.
export type Journey = any;

const MAX_STEPS = 60;
/** A process that decodes images must start first, and other tests may need the processor at the same time. */
const SETTLE_MS = 60_000;
const SETTLE_WITH_ENGINES_MS = 300_000;
const LOOK_MS = 10;
/** Each read is a request, which a machine with few cores must answer as well. */
const LOOK_WITH_ENGINES_MS = 100;

export function codeOf(redirectUrl: string): string {
  return new URLSearchParams(new URL(redirectUrl).hash.slice(1)).get('c') ?? '';
}

export async function endUser(app: TestApp, code: string): Promise<EndUser> {
  const body = JSON.stringify({ code });
  const opened = await app.call('/api/journey/sessions', { method: 'POST', body, token: null });
  if (opened.status !== 200) throw new Error(`no session: ${opened.text}`);
  return enter(app, opened);
}

/** The part of an application that an end user needs. */
export type Reachable = Pick<TestApp, 'call' | 'logged'>;

export function enter(app: Reachable, opened: Answer): EndUser {
  const { processInstanceId } = opened.body;
  const [cookie = ''] = (opened.headers.getSetCookie()[0] ?? '').split(';');
  const call: EndUser['call'] = (path = '', init = {}) =>
    app.call(`/api/journey/${processInstanceId}${path}`, {
      ...init,
      token: null,
      headers: { ...(init.headers as Record<string, string>), cookie },
    });
  const look = async () => {
    const { status, body, text } = await call();
    if (status !== 200) throw new Error(text);
    return body;
  };
  const waitUntilSettled: EndUser['settled'] = async (clock) => {
    const deadline = Date.now() + (clock ? SETTLE_WITH_ENGINES_MS : SETTLE_MS);
    const lookMs = clock ? LOOK_WITH_ENGINES_MS : LOOK_MS;
    for (;;) {
      const now = await look();
      if (now.waitingFor !== 'check') return now;
      if (Date.now() > deadline) throw new Error(`a machine has been at work for too long\n${warningsOf(app)}`);
      await wait(lookMs);
      clock?.advance(lookMs);
    }
  };
  const submit: EndUser['submit'] = async (step, result = {}) => {
    const { revision } = await look();
    return call(`/steps/${step}`, { method: 'POST', body: JSON.stringify({ revision, result }) });
  };
  const upload: EndUser['upload'] = (step, image, standIn = {}) =>
    call(`/steps/${step}/images/${image}`, { method: 'POST', body: JSON.stringify(standIn) });
  const finish = async () => {
    for (let at = 0; at < MAX_STEPS; at++) {
      const now = await waitUntilSettled();
      if (!now.step) return now;
      const { id, type } = now.step;
      if (type === 'document') await upload(id, 'front', { person: 'ada' });
      if (type === 'face') await upload(id, 'image', { person: 'ada' });
      const answer = await submit(id, type === 'consent' ? { accepted: true } : {});
      if (answer.status !== 200) throw new Error(answer.text);
    }
    throw new Error('the journey does not end');
  };
  return { processInstanceId, cookie, call, look, settled: waitUntilSettled, submit, upload, finish };
}

/** A job that failed waits for a clock that only the test moves, so the log contains the cause. */
function warningsOf(app: Reachable): string {
  const lines = app.logged().split('\n');
  return lines
    .filter((line) => /"level":[4-6]0/.test(line))
    .slice(-5)
    .join('\n');
}

type Parameters = Record<string, string>;

let tokens = 0;

/** A process token of a test key, and an instance created from it. */
export async function startJourney(
  app: TestApp,
  testKey: string,
  { processDefnName = 'document-and-selfie', parameters = {} as Parameters } = {},
): Promise<{ token: string; processInstanceId: string; redirectUrl: string; user: EndUser }> {
  const token = await app.token(testKey);
  tokens += 1;
  const body = JSON.stringify({ name: `token ${tokens}`, processDefnName, parameters });
  const tokenAnswer = await app.call('/api/process-manager/processTokens', { method: 'POST', body, token });
  if (tokenAnswer.status !== 201) throw new Error(tokenAnswer.text);
  const create = `/api/process-manager/processInstances/create?pt=${tokenAnswer.body.id}`;
  const created = await app.call(create, { method: 'POST', token });
  if (created.status !== 201) throw new Error(created.text);
  const { processInstanceId, redirectUrl } = created.body;
  return { token, processInstanceId, redirectUrl, user: await endUser(app, codeOf(redirectUrl)) };
}
