import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codesOf, refusalCodes } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import { attemptAct, judgeRefusal } from './judge-refusal.ts';

describe('the result of a step after a refusal by an identity store', () => {
  it('every refusal of the catalogue ends an attempt, and none counts as a pass', () => {
    for (const code of codesOf(refusalCodes)) {
      const judgement = judgeRefusal(code);
      assert.ok(judgement && judgement.code === code && judgement.status === 'FAILED', String(code));
    }
  });

  it('another attempt after a refusal is offered only if it can help', () => {
    const advice = (code: Parameters<typeof judgeRefusal>[0]) => judgeRefusal(code)?.advice;
    for (const code of [502, 2100, 2101, 2102, 2103, 20122, 100031, 100038, 100053, 100094] as const) {
      assert.equal(advice(code), 'final', String(code));
    }
    for (const code of [353, 372, 398, 20120, 100035, 100051, 100052, 100140] as const) {
      assert.equal(advice(code), 'retry', String(code));
    }
  });

  it('a step is not performed after a refusal that the end user could not avoid', () => {
    for (const code of [100027, 100028, 100029, 100030, 100082, 100083] as const) {
      assert.deepEqual(judgeRefusal(code), { code, status: 'NOT_PERFORMED', advice: 'final' });
    }
  });

  it('any other error is not a refusal, and rolls back', async () => {
    const busy = new ApiError(100010);
    await assert.rejects(
      attemptAct(async () => {
        throw busy;
      }),
      busy,
    );
    const bug = new TypeError('a bug');
    await assert.rejects(
      attemptAct(async () => {
        throw bug;
      }),
      bug,
    );
    assert.deepEqual(await attemptAct(async () => 1), { done: 1 });
  });
});
