import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asTenantId, creationTimeOf, firstIdAt, ID_PATTERN, isTenantId, newId } from './ids.ts';

const LAST_MOMENT = 2 ** 48 - 1;
const moment = () => fc.integer({ min: 0, max: LAST_MOMENT });

describe('newId', () => {
  it('newId returns 26 characters of the ULID alphabet for every time that a ULID can contain', () => {
    fc.assert(
      fc.property(moment(), (now) => {
        const id = newId(now);
        assert.equal(id.length, 26);
        assert.match(id, ID_PATTERN);
      }),
    );
    for (const now of [0, LAST_MOMENT]) assert.match(newId(now), ID_PATTERN);
  });

  it('newId orders by time, whatever its random part', () => {
    fc.assert(
      fc.property(moment(), moment(), (one, other) => {
        fc.pre(one !== other);
        assert.equal(newId(one) < newId(other), one < other);
      }),
    );
  });

  it('newId returns an id that is not below the first of its millisecond, and below that of every later one', () => {
    fc.assert(
      fc.property(moment(), moment(), (createdAt, at) =>
        assert.equal(newId(createdAt) < firstIdAt(at), createdAt < at),
      ),
    );
    assert.equal(firstIdAt(-1), firstIdAt(0));
  });

  it('newId contains its creation time', () => {
    fc.assert(fc.property(moment(), (createdAt) => assert.equal(creationTimeOf(newId(createdAt)), createdAt)));
  });

  it('newId begins with the time as the ULID specification encodes it', () => {
    assert.equal(newId(1_469_918_176_385).slice(0, 10), '01ARYZ6S41');
    assert.equal(newId(LAST_MOMENT).slice(0, 10), '7ZZZZZZZZZ');
  });

  it('newId returns no duplicate among 100,000 of one millisecond', () => {
    const ids = Array.from({ length: 100_000 }, () => newId(1_700_000_000_000));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('newId uses every character at every random position, so all 80 bits are random', () => {
    const charactersAt = Array.from({ length: 16 }, () => new Set<string>());
    for (let count = 0; count < 2000; count++) {
      [...newId(0).slice(10)].forEach((character, place) => {
        charactersAt[place]?.add(character);
      });
    }
    assert.deepEqual(
      charactersAt.map((characters) => characters.size),
      Array.from({ length: 16 }, () => 32),
    );
  });
});

describe('ID_PATTERN', () => {
  it('ID_PATTERN refuses the letters a ULID leaves out, lower case, other lengths and a time past 48 bits', () => {
    const id = newId(Date.now());
    for (const letter of 'ILOU') assert.doesNotMatch(`${id.slice(0, 25)}${letter}`, ID_PATTERN);
    for (const wrong of [id.toLowerCase(), id.slice(1), `${id}0`, `8${id.slice(1)}`, `${id}\n`, '']) {
      assert.doesNotMatch(wrong, ID_PATTERN);
    }
  });
});

describe('a tenant id', () => {
  it('a tenant id is a DNS label of 3 to 40 characters', () => {
    for (const good of ['abc', 'a-1', 'acme', 'a'.repeat(40)]) assert.ok(isTenantId(good), good);
    const bad = ['', 'ab', 'a'.repeat(41), '1ab', '-ab', 'ab-', 'Abc', 'a_b', 'a.b', 'ab\n', 'abc\n', 'ä-b', "a'--b"];
    for (const each of bad) assert.ok(!isTenantId(each), JSON.stringify(each));
  });

  it('an invalid tenant id in the database is a bug, and throws', () => {
    assert.equal(asTenantId('acme'), 'acme');
    assert.throws(() => asTenantId('Acme'), /not a tenant id: "Acme"/);
  });
});
