import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeOf, enter, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { cutAddress } from '../instances/session-facts.ts';

const PROXY = { GROVE_TRUST_PROXY: '127.0.0.1', GROVE_COUNTRY_HEADER: 'cf-ipcountry' };
const FROM_DUBLIN = { 'x-forwarded-for': '203.0.113.7', 'cf-ipcountry': 'IE' };
const PHONE = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36';

onBothEngines('the sessions of a case', (_engine, places) => {
  let grove: TestApp;
  let testKey: string;
  before(async () => {
    grove = await openTestApp(await places.create(), { environment: PROXY });
    ({ apiKey: testKey } = await grove.app.tenants.createApiKey(grove.tenantId, { name: 'test', environment: 'test' }));
  });
  after(() => grove.stop());
  const sessionsOf = async (id: string, token?: string) =>
    grove.call(`/api/process-manager/processInstances/${id}/sessions`, {
      token: token ?? (await grove.token(testKey)),
    });

  /** Opens a new instance by a link, from a phone in Dublin. */
  const arrive = async (timeZone: string) => {
    const { processInstanceId } = await startJourney(grove, testKey);
    grove.clock.advance(1000);
    const token = await grove.token(testKey);
    const path = `/api/process-manager/processInstances/${processInstanceId}/resumeLink`;
    const { body } = await grove.call(path, { method: 'POST', token });
    const opened = await grove.call('/api/journey/sessions', {
      method: 'POST',
      body: JSON.stringify({ code: codeOf(body.redirectUrl), timeZone }),
      token: null,
      headers: { ...FROM_DUBLIN, 'user-agent': PHONE },
    });
    assert.equal(opened.status, 200, opened.text);
    return enter(grove, opened);
  };

  it('the sessions of a case show the browser, the network, the country and the time zone, and a changed network at a later step', async () => {
    const user = await arrive('Europe/Dublin');
    const { revision, step } = await user.look();
    const submit = (address: string) =>
      user.call(`/steps/${step.id}`, {
        method: 'POST',
        body: JSON.stringify({ revision, result: { accepted: true } }),
        headers: { 'x-forwarded-for': address },
      });
    grove.clock.advance(60_000);
    assert.equal((await submit('198.51.100.9')).status, 200);
    const { body } = await sessionsOf(user.processInstanceId);
    const [first, phone] = body.sessions;
    assert.deepEqual([body.sessions.length, first.networks[0].network], [2, '127.0.0.0/24']);
    const { createdDtm, expiringDtm: _until, networks, ...facts } = phone;
    assert.deepEqual(facts, {
      browser: 'Chrome on Android',
      handedOver: false,
      timeZone: 'Europe/Dublin',
      countryCode: 'IE',
    });
    assert.deepEqual(
      networks.map(({ network }: { network: string }) => network),
      ['203.0.113.0/24', '198.51.100.0/24'],
    );
    assert.equal(networks[0].firstSeenDtm, createdDtm);
    assert.equal(Date.parse(networks[1].firstSeenDtm) - Date.parse(createdDtm), 60_000);
  });

  it('the sessions of a case do not store an invalid time zone, and are shown only in their environment', async () => {
    const user = await arrive('<script>');
    const { body } = await sessionsOf(user.processInstanceId);
    assert.equal(body.sessions.at(-1).timeZone, undefined);
    assert.equal((await sessionsOf(user.processInstanceId, await grove.token())).status, 404);
  });
});

describe('the network of an address', () => {
  for (const [address, network] of [
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2', '2001:db8:1::/48'],
  ] as const) {
    it(`the network of ${address} is ${network}`, () => assert.equal(cutAddress(address), network));
  }
});
