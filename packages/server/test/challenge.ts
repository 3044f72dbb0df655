import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Movement } from '@grove/vision/templates';
import type { EndUser } from './end-user.ts';
import type { Answer, TestClock } from './harness.ts';

/**
 * The page of an end user in a challenge of active liveness: it signs and sends frames, and follows the instructions.
 */
export type Instruction = { kind: Movement; phase: 'do' | 'return'; token: string; longestSide: number };
export type Challenge = { challengeId: string; state: string; reason?: string; instruction?: Instruction } & Record<
  string,
  never
>;

export type ChallengePage = {
  start(omit?: readonly string[]): Promise<Answer>;
  /** Sends a frame for the open instruction, or with the given values instead. */
  send(challenge: Challenge, frame: Buffer | object, change?: FrameChange): Promise<Answer>;
  /** Sends frames until the challenge is over. */
  answer(
    frameOf: (instruction: Instruction) => Buffer | object | Promise<Buffer | object>,
    options?: AnswerOptions,
  ): Promise<Challenge>;
};

export type AnswerOptions = {
  readonly omit?: readonly string[];
  /** Whether to give up this challenge and start another one. */
  readonly startsAgain?: (challenge: Challenge) => boolean;
};

/** With a real clock, waits for the time to pass. */
export type PageClock = Pick<TestClock, 'now'> & { advance(ms: number): void | Promise<void> };

export type FrameChange = { token?: string; key?: KeyObject; challengeId?: string; at?: number };

const MAX_FRAMES = 150;
/** A person sees the instruction after the pause before it, and then moves. */
const REACTION_MS = 1000;
const PACE_MS = 300;

export function openChallengePage(user: EndUser, step: string, clock: PageClock): ChallengePage {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  const start: ChallengePage['start'] = (omit = []) => {
    const body = JSON.stringify({ publicKey: { kty, crv, x, y }, ...(omit.length > 0 && { omit }) });
    return user.call(`/steps/${step}/challenges`, { method: 'POST', body });
  };
  const send: ChallengePage['send'] = (challenge, frame, change = {}) => {
    const isImage = Buffer.isBuffer(frame);
    const bytes = isImage ? frame : Buffer.from(JSON.stringify(frame));
    const { token = challenge.instruction?.token ?? 'none', key = privateKey, at } = change;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = challenge.challengeId;
    const signature = sign('sha256', Buffer.from(`${id}.${token}.${sha256}`), { key, dsaEncoding: 'ieee-p1363' });
    const query = new URLSearchParams({ token, signature: signature.toString('base64url') });
    // The clock of the page is slightly uneven, like that of a camera.
    query.set('at', String(at ?? clock.now() + (bytes.at(-3) ?? 0) / 40));
    return user.call(`/steps/${step}/challenges/${change.challengeId ?? id}/frames?${query}`, {
      method: 'POST',
      body: bytes as never,
      headers: { 'content-type': isImage ? 'image/jpeg' : 'application/json' },
    });
  };
  return {
    start,
    send,
    async answer(frameOf, { omit = [], startsAgain = () => false } = {}) {
      const open = async () => {
        const started = await start(omit);
        if (started.status !== 201) throw new Error(started.text);
        return started.body as Challenge;
      };
      let challenge = await open();
      let before = '';
      for (let frames = 0; frames < MAX_FRAMES && challenge.state === 'OPEN'; frames += 1) {
        const instruction = challenge.instruction as Instruction;
        await clock.advance(instruction.token === before ? PACE_MS : REACTION_MS);
        before = instruction.token;
        const answer = await send(challenge, await frameOf(instruction));
        if (answer.status !== 200) throw new Error(answer.text);
        challenge = answer.body as Challenge;
        if (startsAgain(challenge)) challenge = await open();
      }
      return challenge;
    },
  };
}
