import type { Challenge, JourneyApi } from '../../src/api.ts';
import type { Instruction, Movement } from '../../src/capture/face/instruction.ts';
import { Problem } from '../../src/problem.ts';
import { hashOf } from '../../src/upload-once.ts';

/** The script of one challenge. Two frames show a movement, the next one the way back. */
export type Script = {
  kinds?: Movement[];
  /** Ends the challenge at the first frame of its last movement. */
  end?: Challenge['reason'];
  /** Sent with every response. */
  hint?: string;
  /** Refuses the start with this code. */
  refuse?: number;
  /** The number of frames of a movement. */
  frames?: number;
};

export type SentFrame = { token: string; kind: Movement; phase: string; signed: boolean; longest: number; at: number };
export type SentChallenges = { starts: { omit: string[]; key: string }[]; frames: SentFrame[]; overlaps: number };

const LATER = '2030-01-01T00:00:00.000Z';
const KINDS: Movement[] = ['centre', 'left', 'right'];
const SIZES = { first: 640, other: 480 } as const;

type Open = { script: Script; key: CryptoKey; number: number; phase: Instruction['phase']; frames: number };

/** Imitates the two operations of a challenge by a script, and records the requests. */
export function scriptedChallenges(scripts: Script[], sent: SentChallenges) {
  let open: Open | undefined;
  let inFlight = 0;
  const kindsOf = (script: Script) => script.kinds ?? KINDS;
  const kindOf = ({ script, number }: Open) => kindsOf(script)[number - 1];

  const answer = (now: Open, state: Challenge['state'] = 'OPEN'): Challenge => {
    const { script, number, phase } = now;
    const { length: total } = kindsOf(script);
    const kind = kindOf(now);
    const longestSide = number === 1 ? SIZES.first : SIZES.other;
    const isOver = state !== 'OPEN' || !kind;
    return {
      challengeId: `C${sent.starts.length}`,
      number: Math.min(number, total),
      total,
      expiringDtm: LATER,
      state: isOver && state === 'OPEN' ? 'DONE' : state,
      ...(state === 'ENDED' && script.end && { reason: script.end }),
      ...(!isOver && { instruction: { kind, phase, token: `T${number}`, longestSide, expiringDtm: LATER } }),
      ...(script.hint && { hint: script.hint }),
    };
  };
  /** Handles one more frame of the open instruction. */
  const follow = (now: Open): Challenge => {
    const { script, number } = now;
    if (script.end && number === kindsOf(script).length) return answer(now, 'ENDED');
    now.frames += 1;
    if (now.phase === 'do' && now.frames < (script.frames ?? 2)) return answer(now);
    const isOver = now.phase === 'return' || kindOf(now) === 'centre';
    Object.assign(now, isOver ? { number: number + 1, phase: 'do', frames: 0 } : { phase: 'return', frames: 0 });
    return answer(now);
  };
  const api: Pick<JourneyApi, 'createChallenge' | 'sendFrame'> = {
    async createChallenge({ publicKey, omit = [] }) {
      const script = scripts[Math.min(sent.starts.length, scripts.length - 1)] ?? {};
      if (script.refuse) throw new Problem({ code: script.refuse, status: 429, message: '' });
      sent.starts.push({ omit, key: publicKey.x });
      const curve = { name: 'ECDSA', namedCurve: 'P-256' };
      const key = await crypto.subtle.importKey('jwk', publicKey, curve, false, ['verify']);
      open = { script, key, number: 1, phase: 'do', frames: 0 };
      return answer(open);
    },
    async sendFrame(challengeId, { token, signature, at }, frame) {
      inFlight += 1;
      if (inFlight > 1) sent.overlaps += 1;
      try {
        if (!open) throw new Problem({ code: 100132, status: 409, message: '' });
        const text = `${challengeId}.${token}.${await hashOf(frame)}`;
        const { width, height } = await createImageBitmap(frame);
        const signed = await isSigned(open.key, signature, text);
        const [kind, phase] = [kindOf(open) ?? 'centre', open.phase];
        sent.frames.push({ token, kind, phase, signed, longest: Math.max(width, height), at });
        return follow(open);
      } finally {
        inFlight -= 1;
      }
    },
  };
  return api;
}

function isSigned(key: CryptoKey, signature: string, text: string): Promise<boolean> {
  const bytes = Uint8Array.from(atob(signature.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, new TextEncoder().encode(text));
}
