import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';

onBothEngines('the list of API keys', (_engine, places) => {
  let grove: TestApp;
  const names = [
    'Zeta',
    'alpha',
    'Ärger',
    'ärger zwei',
    '100% sure',
    '100_sure',
    '1000 sure',
    'back\\slash',
    'beta',
    'Beta 2',
  ];
  before(async () => {
    grove = await openTestApp(await places.create());
    for (const name of names) {
      grove.clock.advance(1000);
      await grove.client.apiKeys.create({ body: { name } });
    }
  });
  after(() => grove.stop());
  const list = (query: string) => grove.call(`/api/arthr/apiKeys${query}`);
  const namesOf = async (query: string): Promise<string[]> => {
    const { body, status } = await list(query);
    assert.equal(status, 200, JSON.stringify(body));
    return body.content.map(({ name }: { name: string }) => name);
  };

  it('the list of API keys answers a page of ten with the totals, in the order of creation', async () => {
    const { body } = await list('');
    const { content, ...envelope } = body;
    assert.equal(content.length, 10);
    assert.equal(content[0].name, 'First key');
    const sort = { sorted: false, unsorted: true, empty: true };
    assert.deepEqual(envelope, {
      totalElements: 11,
      totalPages: 2,
      number: 0,
      size: 10,
      numberOfElements: 10,
      first: true,
      last: false,
      empty: false,
      sort,
      pageable: { sort, pageSize: 10, pageNumber: 0, paged: true, unpaged: false, offset: 0 },
    });
  });

  it('the list of API keys shows every key exactly once over its pages, and a page past the end is empty', async () => {
    const codes: string[] = [];
    for await (const key of grove.client.apiKeys.list.all({ query: { size: 3 } })) codes.push(key.name);
    assert.deepEqual(codes, ['First key', ...names]);
    const { body } = await list('?page=9&size=3');
    assert.deepEqual(
      [body.empty, body.last, body.first, body.numberOfElements, body.totalElements],
      [true, true, false, 0, 11],
    );
  });

  it('the list of API keys sorts by every property in both directions, ignoring case in names', async () => {
    assert.deepEqual((await namesOf('?sort=name,asc&size=20')).slice(0, 3), ['100% sure', '1000 sure', '100_sure']);
    assert.equal((await namesOf('?sort=createdDtm,desc'))[0], 'Beta 2');
    assert.deepEqual(await namesOf('?sort=name&name=beta%25'), ['beta', 'Beta 2']);
    assert.deepEqual(await namesOf('?sort=status,asc&sort=name,desc&size=2'), ['ärger zwei', 'Ärger']);
    for (const property of [
      'id',
      'type',
      'description',
      'lastUpdatedDtm',
      'createdBy',
      'lastUpdatedBy',
      'expiringDtm',
      'lastIssuedAtDtm',
    ]) {
      assert.equal((await namesOf(`?sort=${property},desc&size=20`)).length, 11);
    }
  });

  it('the list of API keys filters names with % and _, ignoring case in every script; a backslash escapes a wildcard', async () => {
    const filtered = (name: string) => namesOf(`?size=20&name=${encodeURIComponent(name)}`);
    assert.deepEqual(await filtered('ÄRGER%'), ['Ärger', 'ärger zwei']);
    assert.deepEqual(await filtered('beta'), ['beta']);
    assert.deepEqual(await filtered('100\\%%'), ['100% sure']);
    assert.deepEqual(await filtered('100\\_sure'), ['100_sure']);
    assert.deepEqual(await filtered('100_sure'), ['100_sure']);
    assert.deepEqual(await filtered('back\\\\%'), ['back\\slash']);
    assert.deepEqual(await filtered('nothing'), []);
    assert.equal((await filtered('%')).length, 11);
    assert.equal((await filtered('')).length, 11);
    assert.equal((await list('?name=beta%25')).body.totalElements, 2);
  });

  for (const [query, pointer] of [
    ['?size=0', '/query/size'],
    ['?size=-1', '/query/size'],
    ['?size=1001', '/query/size'],
    ['?size=2147483648', '/query/size'],
    ['?size=ten', '/query/size'],
    ['?size=1.5', '/query/size'],
    ['?size=1&size=2', '/query/size'],
    ['?size=0x10', '/query/size'],
    ['?size=1e1', '/query/size'],
    ['?size=%205', '/query/size'],
    ['?size=5%0A', '/query/size'],
    ['?size=5.0', '/query/size'],
    ['?size=%2B5', '/query/size'],
    ['?size=+5', '/query/size'],
    ['?size=%D9%A5', '/query/size'],
    ['?size=0b11', '/query/size'],
    ['?page=-0x1', '/query/page'],
    ['?page=-1', '/query/page'],
    ['?page=99999999999', '/query/page'],
    ['?sort=secret_hash', '/query/sort/0'],
    ['?sort=name;DROP TABLE tenants', '/query/sort/0'],
    ['?sort=name,up', '/query/sort/0'],
    ['?sort=name,asc,id', '/query/sort/0'],
    ['?sort=__proto__', '/query/sort/0'],
    [`?name=${'x'.repeat(256)}`, '/query/name'],
    ['?name=abc%5C', '/query/name'],
    ['?name=a%00b', '/query/name'],
  ] as const) {
    it(`the list of API keys refuses ${query.slice(0, 40)} with 100001 and names ${pointer}`, async () => {
      const { status, body } = await list(query);
      assert.deepEqual([status, body.code, body.errors?.[0]?.pointer], [400, 100001, pointer]);
    });
  }

  it('a name filter with a hundred wildcards does not slow the list of API keys down', async () => {
    assert.deepEqual(await namesOf(`?name=${encodeURIComponent('%a'.repeat(100))}`), []);
  });
});
