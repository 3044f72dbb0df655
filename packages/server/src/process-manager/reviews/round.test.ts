import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../kernel/ids.ts';
import { personalSeal } from '../../secrets/personal-seal.ts';
import { KEY_BYTES, keyFrom } from '../../secrets/sealing.ts';
import { needsTwoPeople } from './round.ts';

describe('the sample for a second review', () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => newId(1_800_000_000_000 + at));
  const sealOf = (byte: number) => personalSeal('acme', keyFrom(Buffer.alloc(KEY_BYTES, byte)));
  const sampleOf = (secondReviewPercent: number, seal = sealOf(1)) =>
    ids.filter((id) => needsTwoPeople(id, { fourEyes: false, secondReviewPercent }, undefined, seal));

  it('the sample for a second review contains about as many of a hundred as the setting says: all at 100, none at 0', () => {
    assert.equal(sampleOf(0).length, 0);
    assert.equal(sampleOf(100).length, ids.length);
    // The bounds are seven standard deviations away.
    assert.ok(Math.abs(sampleOf(25).length - 2500) < 310, `${sampleOf(25).length}`);
  });

  it('the sample for a second review cannot be predicted without the key of the tenant', () => {
    const others = new Set(sampleOf(50, sealOf(2)));
    const both = sampleOf(50).filter((id) => others.has(id)).length;
    assert.ok(Math.abs(both - 2500) < 310, `${both}`);
  });

  it('the sample for a second review keeps its instances if the percentage grows', () => {
    const larger = new Set(sampleOf(25));
    assert.ok(sampleOf(10).every((id) => larger.has(id)));
  });
});
