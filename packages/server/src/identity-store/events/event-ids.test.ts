import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ID_PATTERN } from '../../kernel/ids.ts';
import { eventIds, following } from './identity-events.ts';

describe('the ids of events', () => {
  it('the ids of events increase within a millisecond and from one millisecond to the next', () => {
    const next = eventIds();
    const ids = Array.from({ length: 10_000 }, (_, at) => next(1.7e12 + Math.floor(at / 3000)));
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every((id) => ID_PATTERN.test(id)));
  });

  it('the ids of events go back with the clock', () => {
    const next = eventIds();
    assert.ok(next(1.7e12) > next(1.6e12));
  });

  it('the ids of events have a successor, up to the last of a millisecond', () => {
    assert.equal(following('01JZ4MCW8A00000000000000Z9'), '01JZ4MCW8A00000000000000ZA');
    assert.equal(following('01JZ4MCW8A000000000000H9ZZ'), '01JZ4MCW8A000000000000HA00');
    assert.equal(following(`01JZ4MCW8A${'Z'.repeat(16)}`), undefined);
  });
});
