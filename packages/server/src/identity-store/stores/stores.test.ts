import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';

onBothEngines('identity stores', (_engine, places) => {
  let grove: TestIdentity;
  before(async () => {
    grove = await openTestIdentity(await places.create());
  });
  after(() => grove.stop());

  it('identity stores are created, read, listed and changed, with the policies of their relying parties', async () => {
    const configuration = {
      defaultLocale: 'de-AT',
      defaultTimeZone: 'Europe/Vienna',
      defaultUserStatus: 'PENDING_ACTIVE',
      lockConfiguration: { maxFailedAttempts: 3, modalities: { TOTP: { tempLockDuration: 'PT1M' } } },
    };
    const creation = await grove.send('POST', '/stores', { name: 'Customers', description: 'All', configuration });
    assert.equal(creation.status, 201, creation.text);
    const none = { appkeyConfigs: {}, passkeyConfigs: {}, totpPolicies: {}, pushNotificationPolicies: {} };
    assert.deepEqual(creation.body.configuration, { ...configuration, ...none });
    assert.deepEqual([creation.body.name, creation.body.status, creation.body.id.length], ['Customers', 'ACTIVE', 26]);
    assert.deepEqual((await grove.send('GET', '/stores/Customers')).body, creation.body);
    grove.clock.advance(1000);
    const policy = (await grove.send('POST', '/stores/Customers/totpPolicy', { name: 'app' })).body;
    grove.clock.advance(1000);
    const changed = await grove.send('POST', '/stores/Customers', {
      ...creation.body,
      status: 'INACTIVE',
      configuration: { defaultLocale: 'fr', maxUsers: 5 },
    });
    assert.equal(changed.status, 200, changed.text);
    const { lastUpdatedDtm, ...rest } = changed.body;
    assert.notEqual(lastUpdatedDtm, creation.body.lastUpdatedDtm);
    assert.deepEqual([rest.status, rest.description, rest.createdDtm], ['INACTIVE', 'All', creation.body.createdDtm]);
    const { lastUpdatedDtm: _date, ...fields } = policy;
    assert.deepEqual(fields, {
      name: 'app',
      issuer: 'Customers',
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
      window: 1,
    });
    assert.deepEqual(rest.configuration, {
      ...configuration,
      defaultLocale: 'fr',
      maxUsers: 5,
      ...none,
      totpPolicies: { app: policy },
    });
    const list = await grove.send('GET', '/stores?name=cust%25&sort=name,desc');
    assert.deepEqual([list.body.totalElements, list.body.content], [1, [changed.body]]);
    assert.deepEqual(
      (await grove.events('Customers')).map(({ type }) => type),
      ['identity.storeCreated', 'identity.configCreated', 'identity.storeUpdated'],
    );
  });

  it('100351: identity stores cannot be changed by a caller who has read an older version', async () => {
    const { lastUpdatedDtm } = (await grove.send('POST', '/stores', { name: 'Shared' })).body;
    const change = (description: string, read: string) =>
      grove.send('POST', `/stores/Shared?ifLastUpdatedDtm=${encodeURIComponent(read)}`, { description });
    grove.clock.advance(1000);
    const first = await change('first', lastUpdatedDtm);
    assert.equal(first.status, 200, first.text);
    const second = await change('second', lastUpdatedDtm);
    assert.deepEqual([second.status, second.body.code], [409, 100351]);
    assert.equal((await grove.send('GET', '/stores/Shared')).body.description, 'first');
    assert.equal((await change('second', first.body.lastUpdatedDtm)).status, 200);
  });

  it('100351: relying parties and policies of an identity store cannot be changed by a caller who has read an older version', async () => {
    await grove.send('POST', '/stores', { name: 'Parties' });
    const parts = [
      ['passkeyConfig', 'passkeyConfigs', { rpId: 'example.com' }, 'rpName'],
      ['appkeyConfig', 'appkeyConfigs', { rpId: 'example.com' }, 'appId'],
      ['totpPolicy', 'totpPolicies', { name: 'example.com' }, 'issuer'],
    ] as const;
    for (const [path, member, config, field] of parts) {
      const change = (text: string, read: string) => {
        const query = `?ifLastUpdatedDtm=${encodeURIComponent(read)}`;
        const value = field === 'appId' ? `https://example.com/${text}` : text;
        return grove.send('POST', `/stores/Parties/${path}/example.com${query}`, { [field]: value });
      };
      const { lastUpdatedDtm } = (await grove.send('POST', `/stores/Parties/${path}`, config)).body;
      grove.clock.advance(1000);
      const first = await change('first', lastUpdatedDtm);
      assert.equal(first.status, 200, first.text);
      const second = await change('second', lastUpdatedDtm);
      assert.deepEqual([second.status, second.body.code], [409, 100351], path);
      const { configuration } = (await grove.send('GET', '/stores/Parties')).body;
      const stored = configuration[member]['example.com'];
      assert.deepEqual(stored, first.body);
      assert.match(stored[field], /first$/);
      assert.equal((await change('second', stored.lastUpdatedDtm)).status, 200);
    }
  });

  it('identity stores have unique names in their environment: 100014 for a second one', async () => {
    await grove.store('Once');
    const again = await grove.send('POST', '/stores', { name: 'Once' });
    assert.deepEqual([again.status, again.body.code, again.body.errors[0].pointer], [409, 100014, '/name']);
    assert.equal((await grove.send('POST', '/stores', { name: 'Once' }, grove.inTest)).status, 201);
    assert.equal((await grove.send('POST', '/stores', { name: 'Once' }, grove.ofOther)).status, 201);
  });

  it('identity stores are refused with 100001 for each part of their configuration that cannot work', async () => {
    const lock = '/configuration/lockConfiguration';
    for (const [body, pointer] of [
      [{ name: 'a/b' }, '/name'],
      [{ name: '..' }, '/name'],
      [{ name: ' a' }, '/name'],
      [{ name: 'a', configuration: { defaultLocale: 'not a locale' } }, '/configuration/defaultLocale'],
      [{ name: 'a', configuration: { defaultTimeZone: 'Europe/Atlantis' } }, '/configuration/defaultTimeZone'],
      [{ name: 'a', configuration: { defaultTimeZone: '+01:00' } }, '/configuration/defaultTimeZone'],
      [{ name: 'a', configuration: { defaultUserStatus: 'TEMP_LOCKED' } }, '/configuration/defaultUserStatus'],
      [
        { name: 'a', configuration: { lockConfiguration: { tempLockDuration: 'P21900D' } } },
        `${lock}/tempLockDuration`,
      ],
      [{ name: 'a', configuration: { lockConfiguration: { tempLockDuration: 'PT0S' } } }, `${lock}/tempLockDuration`],
      [
        {
          name: 'a',
          configuration: { lockConfiguration: { modalities: { FACE: { tempLockDuration: 'P9999999999999999Y' } } } },
        },
        `${lock}/modalities/FACE/tempLockDuration`,
      ],
      [{ name: 'a', configuration: { lockConfiguration: { maxFailedAttempts: 0 } } }, `${lock}/maxFailedAttempts`],
      [{ name: 'a', configuration: { maxUsers: 0 } }, '/configuration/maxUsers'],
    ] as const) {
      const answer = await grove.send('POST', '/stores', body);
      assert.deepEqual([answer.status, answer.body.code], [400, 100001], answer.text);
      assert.equal(answer.body.errors[0].pointer, pointer);
    }
    const store = await grove.store('Checked');
    const changed = await grove.send('POST', store, { configuration: { defaultTimeZone: 'x' } });
    assert.equal(changed.body.code, 100001);
    assert.equal((await grove.send('GET', '/stores?sort=secret')).body.code, 100001);
  });

  it('identity stores that do not exist, or belong to another tenant or the other environment, get the same answer 100027', async () => {
    const store = await grove.store('Mine');
    const bodies = [];
    for (const [method, path, token] of [
      ['GET', '/stores/Nobodys', undefined],
      ['GET', store, grove.inTest],
      ['GET', store, grove.ofOther],
      ['POST', store, grove.ofOther],
      ['POST', store, grove.inTest],
    ] as const) {
      const answer = await grove.send(method, path, method === 'POST' ? { status: 'INACTIVE' } : undefined, token);
      assert.equal(answer.status, 404);
      const { requestId, ...body } = answer.body;
      bodies.push(JSON.stringify(body));
    }
    assert.deepEqual(new Set(bodies).size, 1);
    assert.match(bodies[0] as string, /100027/);
    assert.equal((await grove.send('GET', store)).body.status, 'ACTIVE');
    assert.equal((await grove.send('GET', '/stores?name=Mine', undefined, grove.ofOther)).body.totalElements, 0);
    assert.equal((await grove.send('GET', '/stores?name=Mine', undefined, grove.inTest)).body.totalElements, 0);
  });

  it('identity stores that are inactive register and authenticate nobody: 100082', async () => {
    const store = await grove.store('Closed');
    const { id } = await grove.user(store, { extId: 'ann' });
    await grove.send('POST', `${store}/totpPolicy`, { name: 'app' });
    await grove.send('POST', store, { status: 'INACTIVE' });
    for (const [path, body] of [
      ['/users', {}],
      [`/users/${id}/totps/registrations/app`, {}],
      [`/users/${id}/totps/registrations/app/complete`, { code: '123456' }],
      [`/users/${id}/totps/authentications/app`, { code: '123456' }],
    ] as const) {
      const answer = await grove.send('POST', `${store}${path}`, body);
      assert.deepEqual([answer.status, answer.body.code], [400, 100082], path);
    }
    assert.equal((await grove.send('GET', `${store}/users/${id}`)).status, 200);
  });
});
