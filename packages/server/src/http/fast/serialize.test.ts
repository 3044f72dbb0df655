import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { api, operations } from '@grove/contract';
import fastJsonStringify from 'fast-json-stringify';
import { serializerOf } from './serialize.ts';

describe('the serializer of answers', () => {
  const key = {
    id: '01M7EK55GPPBVSG5TAX910HKS7',
    type: 'PERMANENT',
    code: 'grv_live_x',
    name: 'a "name" \u2028 😀',
    description: undefined,
    status: 'ACTIVE',
    environment: 'live',
    permissions: ['TNT#acme#*'],
    permittedOperations: [],
    createdDtm: '2026-11-15T00:00:00.000Z',
    lastUpdatedDtm: '2026-11-15T00:00:00.000Z',
    createdBy: 'x',
    lastUpdatedBy: 'x',
  };
  const sort = { sorted: false, unsorted: true, empty: true };
  const page = (content: object[]) => ({
    content,
    totalElements: 1,
    totalPages: 1,
    number: 0,
    size: 10,
    numberOfElements: 1,
    first: true,
    last: true,
    empty: false,
    sort,
    pageable: { sort, pageSize: 10, pageNumber: 0, paged: true, unpaged: false, offset: 0 },
  });
  const one = serializerOf(api.apiKeys.get.ok);
  const list = serializerOf(api.apiKeys.list.ok);

  it('the serializer of answers writes declared members like the function that strips the others', () => {
    const stripped = fastJsonStringify(JSON.parse(JSON.stringify(api.apiKeys.list.ok)));
    assert.deepEqual(JSON.parse(list(page([key, key]))), JSON.parse(stripped(page([key, key]))));
    assert.equal(JSON.parse(one(key)).name, key.name);
    assert.ok(!one(key).includes('description'));
  });

  it('the serializer of answers reports an answer with an undeclared member, or without a required one, and no other', () => {
    let count = 0;
    const write = serializerOf(api.apiKeys.get.ok, {
      onStripped() {
        count += 1;
      },
    });
    write(key);
    assert.equal(count, 0);
    write({ ...key, descriptoin: 'misspelt' });
    assert.equal(count, 1);
    assert.throws(() => write({ ...key, id: undefined }), /"id" is required/);
    assert.equal(count, 2);
  });

  it('the serializer of answers strips undeclared members at every depth', () => {
    const secret = { secret_hash: 'canary' };
    for (const text of [
      one({ ...key, ...secret }),
      list(page([key, { ...key, ...secret }])),
      list({ ...page([key]), ...secret }),
      list({ ...page([key]), pageable: { ...page([]).pageable, sort: { ...sort, ...secret } } }),
      one(Object.assign(Object.create({ inherited: 'canary' }), key)),
    ]) {
      assert.ok(!text.includes('canary'), text);
      JSON.parse(text);
    }
  });

  it('the serializer of answers never writes an object if text is declared', () => {
    assert.ok(!one({ ...key, name: { canary: 'canary' } }).includes('"canary"'));
  });

  it('the serializer of answers throws if a required member is missing', () => {
    assert.throws(() => one({ ...key, status: undefined }), /status/);
  });

  it('the serializer of answers throws at the start for a keyword that would let undeclared members pass', () => {
    const declared = { type: 'object', properties: { a: { type: 'number' } } };
    for (const schema of [
      { type: 'object', patternProperties: { '^.*$': declared } },
      { anyOf: [declared] },
      { type: 'array', items: { allOf: [declared] } },
      { type: 'object', properties: { inner: { $ref: '#/x' } } },
    ]) {
      assert.throws(() => serializerOf(schema), /the serializer does not know (patternProperties|anyOf|allOf|\$ref)/);
    }
    for (const { operation } of operations()) if (operation.ok) serializerOf(operation.ok);
  });
});
