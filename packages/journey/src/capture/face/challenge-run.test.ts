import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Challenge } from '../../api.ts';
import { Problem } from '../../problem.ts';
import { type ChallengeParts, MAX_FRAMES, runChallenge } from './challenge-run.ts';
import type { Instruction } from './instruction.ts';

const LATER = '2030-01-01T00:00:00.000Z';

function answer(number: number, kind: Instruction['kind'], phase: Instruction['phase'] = 'do'): Challenge {
  return {
    challengeId: 'C',
    state: 'OPEN',
    number,
    total: 3,
    expiringDtm: LATER,
    instruction: { kind, phase, token: `${number}`, longestSide: 100 * number, expiringDtm: LATER },
  };
}

/** Stands in for a server with these responses, and records what it was sent. */
function rehearse(answers: (Challenge | Problem)[], change: Partial<ChallengeParts> = {}) {
  const sent: string[] = [];
  const stop = new AbortController();
  const next = () => {
    const [first] = answers;
    if (answers.length > 1) answers.shift();
    if (first instanceof Problem) throw first;
    return first as Challenge;
  };
  const parts: ChallengeParts = {
    api: {
      async createChallenge({ omit = [] }) {
        sent.push(['start', ...omit].join(' '));
        return next();
      },
      async sendFrame(challengeId, { token }, frame) {
        sent.push(`${challengeId} ${token} ${await frame.text()}`);
        return next();
      },
    },
    omit: [],
    show: () => undefined,
    pause: async () => undefined,
    signal: stop.signal,
    take: async (longestSide) => new Blob([`${longestSide}`]),
    ...change,
  };
  return { parts, sent, stop };
}

const problem = (code: number, status: number) => new Problem({ code, status, message: '' });

test('each frame has the size and the token of the instruction that is open, until all was seen', async () => {
  const { parts, sent } = rehearse([answer(1, 'centre'), answer(2, 'up'), answer(2, 'up', 'return'), done()]);
  const views: string[] = [];
  parts.show = ({ state, instruction }) => views.push(`${state} ${instruction?.kind} ${instruction?.phase}`);
  assert.deepEqual(await runChallenge(parts), { state: 'DONE', challengeId: 'C' });
  assert.deepEqual(sent, ['start', 'C 1 100', 'C 2 200', 'C 2 200']);
  assert.deepEqual(views, ['OPEN centre do', 'OPEN up do', 'OPEN up return', 'DONE undefined undefined']);
});

test('the movements that a person cannot make are sent at the start', async () => {
  const { parts, sent } = rehearse([done()], { omit: ['eyes', 'turn'] });
  await runChallenge(parts);
  assert.deepEqual(sent, ['start eyes turn']);
});

test('the end of a challenge has its reason, also if the server no longer knows the challenge', async () => {
  const endedChallenge: Challenge = { ...done(), state: 'ENDED', reason: 'wrong_movement' };
  assert.deepEqual(await runChallenge(rehearse([answer(1, 'centre'), endedChallenge]).parts), {
    state: 'ENDED',
    reason: 'wrong_movement',
  });
  assert.deepEqual(await runChallenge(rehearse([answer(1, 'centre'), problem(100132, 409)]).parts), {
    state: 'ENDED',
    reason: 'too_slow',
  });
});

test('any other refusal of the server is thrown', async () => {
  await assert.rejects(runChallenge(rehearse([problem(100131, 429)]).parts), { code: 100131 });
});

test('no frame is sent while the camera shows nothing, and the number of frames is limited', async () => {
  const { parts, sent } = rehearse([answer(1, 'centre')], { take: async () => undefined });
  assert.deepEqual(await runChallenge(parts), { state: 'ENDED', reason: 'too_many_frames' });
  assert.deepEqual(sent, ['start']);
  const endless = rehearse([answer(1, 'centre')]);
  await runChallenge(endless.parts);
  assert.equal(endless.sent.length, 1 + MAX_FRAMES);
});

test('a challenge that was stopped sends nothing more and has no result', async () => {
  const { parts, sent, stop } = rehearse([answer(1, 'centre')]);
  parts.show = () => stop.abort();
  assert.equal(await runChallenge(parts), undefined);
  assert.deepEqual(sent, ['start']);
});

function done(): Challenge {
  return { challengeId: 'C', state: 'DONE', number: 3, total: 3, expiringDtm: LATER };
}
