import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './type.ts';

describe('the schema builder', () => {
  /** Each builder in the ways that the API uses it. */
  const builtBy = (type: typeof Type) => {
    const name = type.String({ minLength: 1, description: 'A name' });
    const all = type.Object(
      { name, age: type.Optional(type.Integer({ minimum: 0 })) },
      { additionalProperties: false },
    );
    return {
      name,
      all,
      none: type.Object({}),
      some: type.Object({ name: type.Optional(name) }, { minProperties: 1 }),
      number: type.Number(),
      flag: type.Boolean({ default: true }),
      unsafe: type.Unsafe({ enum: ['a'], type: 'string' }),
      list: type.Array(all, { maxItems: 3 }),
      partial: type.Partial(all),
      partialWith: type.Partial(all, { additionalProperties: false }),
      optionalObject: type.Object({ all: type.Optional(all), list: type.Array(name) }),
      byAnyName: type.Record(type.String(), type.Union([name, type.Number()]), { maxProperties: 9 }),
      byPattern: type.Record(type.String({ pattern: '^[a-z]+$' }), all, { maxProperties: 9 }),
    };
  };

  it('the schema builder builds what TypeBox builds, to the letter', () => {
    const [ours, theirs] = [builtBy(Type), builtBy(TypeBox)];
    for (const key of Object.keys(theirs) as (keyof typeof theirs)[]) {
      assert.equal(JSON.stringify(ours[key]), JSON.stringify(theirs[key]), key);
    }
  });

  it('the schema builder does not change its arguments: a schema that is optional in one place is required in another', () => {
    const name = Type.String();
    Type.Object({ name: Type.Optional(name) });
    assert.deepEqual(Type.Object({ name }).required, ['name']);
    assert.deepEqual(Object.keys(Type.Optional(name)), ['type']);
  });
});
