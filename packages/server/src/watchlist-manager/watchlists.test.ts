import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../test/end-user.ts';
import { type Answer, onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { NO_LIST, testWatchlists, WATCHLISTS } from '../../test/watchlists.ts';
import { asTenantId } from '../kernel/ids.ts';
import { emptyList, MEMBERS_AT_ONCE } from './erase-again.ts';
import { MAX_WATCHLISTS_PER_ENVIRONMENT } from './watchlists.ts';

onBothEngines('watchlists', (_engine, places) => {
  let grove: TestApp;
  let stranger: string;
  let sandbox: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const { apiKey } = await grove.app.tenants.create({ id: 'stranger' });
    stranger = await grove.token(apiKey);
    const { apiKey: testKey } = await grove.app.tenants.createApiKey('acme', { name: 'sandbox', environment: 'test' });
    sandbox = await grove.token(testKey);
  });
  after(() => grove.stop());

  const { send, remove, newList, added, matched } = testWatchlists(() => grove);
  const actions = async (token?: string): Promise<[string, string][]> => {
    const { body } = await grove.call('/api/process-manager/auditEvents?size=1000&sort=dateTime,asc', {
      ...(token && { token }),
    });
    return body.content.map(({ action, item }: { action: string; item: string }) => [action, item]);
  };

  it('watchlists are created, listed, read, changed and deleted', async () => {
    const settings = { name: 'fraudsters', description: 'of the branch', maxSize: 5, expireMembersAfter: 'P30D' };
    const creation = await send('', settings);
    assert.equal(creation.status, 201, creation.text);
    const { id, createdDtm, lastUpdatedDtm, createdBy, lastUpdatedBy, ...rest } = creation.body;
    assert.deepEqual(rest, { ...settings, environment: 'live', type: 'FACE', status: 'ACTIVE', numMembers: 0 });
    assert.deepEqual((await grove.call(`${WATCHLISTS}/${id}`)).body, creation.body);
    const changed = await send(`/${id}`, {
      name: 'swindlers',
      status: 'INACTIVE',
      description: '',
      expireMembersAfter: null,
    });
    assert.deepEqual(
      [changed.body.name, changed.body.status, changed.body.description, changed.body.maxSize],
      ['swindlers', 'INACTIVE', undefined, 5],
    );
    const list = await grove.call(`${WATCHLISTS}?name=SWIND%25&type=FACE&sort=name,desc`);
    assert.deepEqual([list.body.totalElements, list.body.content[0].id], [1, id]);
    assert.equal((await grove.call(`${WATCHLISTS}?name=SWIND%25&type=EMAIL`)).body.totalElements, 0);
    assert.equal((await remove(`/${id}`)).status, 204);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.code, 100041);
  });

  it('watchlists that are deleted lose their members in batches, so that others can write in between', async () => {
    const [count, listId] = [3 * MEMBERS_AT_ONCE + 1, await newList({ name: 'long', type: 'EMAIL', maxSize: 10_000 })];
    const db = grove.app.db.of(asTenantId('acme'));
    const { status } = await send(`/${listId}/watchlist-members`, { value: 'ada@example.com' });
    assert.equal(status, 201);
    const columns = Object.keys(
      (await db.get<object>({ text: 'SELECT * FROM watchlist_members WHERE tenant_id = $1 LIMIT 1' }, ['acme'])) ?? {},
    ).filter((name) => !['tenant_id', 'id', 'value_hash'].includes(name));
    const copy = {
      text: `INSERT INTO watchlist_members (tenant_id, id, value_hash, ${columns.join(', ')})
        SELECT tenant_id, $2, NULL, ${columns.join(', ')} FROM watchlist_members
        WHERE tenant_id = $1 AND watchlist_id = $3 AND value_hash IS NOT NULL`,
    };
    const setCount = { text: 'UPDATE watchlists SET num_members = $3 WHERE tenant_id = $1 AND id = $2' };
    await db.write(async (tx) => {
      for (let at = 1; at < count; at++) await tx.run(copy, ['acme', `member-${at}`, listId]);
      await tx.run(setCount, ['acme', listId, count]);
    });
    const sizes: number[] = [];
    const size = {
      text: 'SELECT count(*) AS members FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2',
    };
    const watched: typeof db = {
      ...db,
      async write(work, options) {
        const result = await db.write(work, options);
        sizes.push(Number((await db.get<{ members: number }>(size, ['acme', listId]))?.members));
        return result;
      },
    };
    await emptyList(watched, { environment: 'live', id: listId });
    assert.deepEqual(
      sizes,
      [count, count - 500, count - 1000, count - 1500, 0].map((each) => Math.max(0, each)),
    );
    const { body } = await grove.call(`${WATCHLISTS}/${listId}`);
    assert.deepEqual([body.status, body.numMembers], ['INACTIVE', 0]);
    assert.equal((await remove(`/${listId}`)).status, 204);
  });

  it('watchlists have unique names in each environment: 100014 for a second one', async () => {
    await newList({ name: 'named' });
    const other = await newList({ name: 'renamed' });
    assert.equal((await send('', { name: 'named' })).body.code, 100014);
    assert.equal((await send(`/${other}`, { name: ' named ' })).body.code, 100014);
    await newList({ name: 'named' }, sandbox);
    await newList({ name: 'named' }, stranger);
  });

  it('watchlists are refused with 100001 if a field is invalid', async () => {
    for (const body of [
      {},
      { name: '  ' },
      { name: 'x', type: 'NAME' },
      { name: 'x', maxSize: 0 },
      { name: 'x', maxSize: 100_001 },
      { name: 'x', expireMembersAfter: 'tomorrow' },
      { name: 'x', expireMembersAfter: 'PT0S' },
    ]) {
      assert.equal((await send('', body)).body.code, 100001, JSON.stringify(body));
    }
    const id = await newList({ maxSize: 3 });
    await added(id, 'A1');
    await added(id, 'A2');
    assert.equal((await send(`/${id}`, { maxSize: 1 })).body.errors[0].pointer, '/maxSize');
  });

  it('watchlists that do not exist, or belong to another tenant or the other environment, answer 100041', async () => {
    const id = await newList();
    const { id: memberId } = await added(id, 'X1');
    const ways = (each: string, token?: string): (() => Promise<Answer>)[] => [
      () => grove.call(`${WATCHLISTS}/${each}`, { ...(token && { token }) }),
      () => send(`/${each}`, { name: 'taken' }, token),
      () => remove(`/${each}`, token),
      () => grove.call(`${WATCHLISTS}/${each}/watchlist-members`, { ...(token && { token }) }),
      () => send(`/${each}/watchlist-members`, { value: 'Y1' }, token),
      () => grove.call(`${WATCHLISTS}/${each}/watchlist-members/${memberId}`, { ...(token && { token }) }),
      () => send(`/${each}/watchlist-members/${memberId}`, { note: 'mine' }, token),
      () => remove(`/${each}/watchlist-members/${memberId}`, token),
      () => send(`/${each}/match`, { value: 'X1' }, token),
    ];
    for (const way of [...ways(id, stranger), ...ways(id, sandbox), ...ways(NO_LIST)]) {
      const { status, body } = await way();
      assert.deepEqual([status, body.code], [404, 100041]);
    }
    assert.deepEqual(await matched(id, 'X1'), [memberId]);
    assert.equal(
      (await grove.call(WATCHLISTS, { token: stranger })).body.content.filter((each: { id: string }) => each.id === id)
        .length,
      0,
    );
  });

  it('watchlists have an audit event for every search, read and change, without personal data', async () => {
    const id = await newList();
    const step = async (work: () => Promise<unknown>) => {
      grove.clock.advance(1);
      return work();
    };
    await step(() => added(id, 'SECRET7', { lastName: 'Unmistakable' }));
    grove.clock.advance(1);
    const { content } = (await grove.call(`${WATCHLISTS}/${id}/watchlist-members`)).body;
    await step(() => grove.call(`${WATCHLISTS}/${id}/watchlist-members/${content[0].id}`));
    await step(() => matched(id, 'SECRET7'));
    await step(() => matched(id, 'NOBODY'));
    await step(() => send(`/${id}/watchlist-members/${content[0].id}`, { note: 'x' }));
    await step(() => remove(`/${id}/watchlist-members/${content[0].id}`));
    await step(() => send(`/${id}`, { status: 'INACTIVE' }));
    await step(() => remove(`/${id}`));
    const recordedActions = (await actions()).filter(([, item]) => item === id);
    assert.deepEqual(
      recordedActions,
      [
        'created',
        'memberAdded',
        'membersRead',
        'memberRead',
        'searched',
        'searched',
        'memberUpdated',
        'memberRemoved',
        'updated',
        'deleted',
      ].map((action) => [`watchlist.${action}`, id]),
    );
    assert.doesNotMatch(JSON.stringify(recordedActions) + grove.logged(), /Unmistakable|SECRET7/);
  });

  it('watchlists can be named by a definition once one has that name', async () => {
    const definition = {
      name: 'watching',
      processDefinitionType: 'VERIFICATION',
      steps: [
        { id: 'selfie', type: 'face', key: 'face1', liveness: 'none' },
        { id: 'look', type: 'watchlist', name: 'to be named', face: 'face1' },
        { id: 'decide', type: 'decision' },
      ],
    };
    const creation = await grove.call('/api/process-manager/processDefinitions', {
      method: 'POST',
      body: JSON.stringify(definition),
    });
    const deploy = () =>
      grove.call(`/api/process-manager/processDefinitions/${creation.body.id}/deploy`, { method: 'POST' });
    assert.equal((await deploy()).body.errors[0].pointer, '/steps/1/name');
    await newList({ name: 'to be named', type: 'FACE' });
    assert.equal((await deploy()).status, 200);
  });

  it('watchlists send a journey to a human if its e-mail address is on one, and otherwise not', async () => {
    const id = await newList({ name: 'throw-away', type: 'EMAIL' });
    const { id: memberId } = await added(id, 'ada@example.com');
    const definition = {
      name: 'mailing',
      processDefinitionType: 'VERIFICATION',
      steps: [
        { id: 'consent', type: 'consent' },
        { id: 'look', type: 'watchlist', name: 'throw-away', by: 'email' },
        { id: 'decide', type: 'decision' },
      ],
    };
    const manage = '/api/process-manager/processDefinitions';
    const creation = await grove.call(manage, { method: 'POST', body: JSON.stringify(definition) });
    const deployed = await grove.call(`${manage}/${creation.body.id}/deploy`, { method: 'POST' });
    assert.equal(deployed.status, 200, deployed.text);
    const checkOf = async (email: string | undefined) => {
      const parameters: Record<string, string> = email === undefined ? {} : { email };
      const { user, processInstanceId } = await startJourney(grove, grove.apiKey, {
        processDefnName: 'mailing',
        parameters,
      });
      let { status } = await user.finish();
      // The state of a journey and the status of its instance are two reads, and the second may be newer.
      for (let tries = 0; status === 'ACTIVE' && tries < 100; tries++) ({ status } = await user.look());
      const place = `/api/userdata-server/processDefinitions/${creation.body.id}/processInstances/${processInstanceId}`;
      const [check] = (await grove.call(`${place}/userdata/checks`)).body.filter(
        ({ name }: { name: string }) => name === 'watchlist',
      );
      return { status, check };
    };
    const match = await checkOf('ADA@Example.com');
    assert.deepEqual([match.status, match.check.status], ['REVIEW', 'REVIEW']);
    assert.deepEqual(match.check.metaData.candidates, [{ memberId, score: 1 }]);
    const free = await checkOf('grace@example.com');
    assert.deepEqual([free.status, free.check.status], ['COMPLETED_ENDED_SUCCESS', 'PASSED']);
    const none = await checkOf(undefined);
    assert.deepEqual([none.check.status, none.check.reason], ['NOT_PERFORMED', 'value_missing']);
    await send(`/${id}`, { status: 'INACTIVE' });
    const unused = await checkOf('ada@example.com');
    assert.deepEqual([unused.check.status, unused.check.reason], ['NOT_PERFORMED', 'watchlist_missing']);
  });

  it('watchlists are at most a hundred in an environment: 100065 for one more', async () => {
    const { apiKey } = await grove.app.tenants.create({ id: 'collector' });
    const token = await grove.token(apiKey);
    for (let at = 0; at < MAX_WATCHLISTS_PER_ENVIRONMENT; at++) await newList({}, token);
    assert.equal((await send('', { name: 'one more' }, token)).body.code, 100065);
  });
});
