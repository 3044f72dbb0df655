import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, endUser, enter, startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';

const testKeyOf = async (grove: TestApp) =>
  (await grove.app.tenants.createApiKey('acme', { name: 'Sandbox', environment: 'test' })).apiKey;

async function watch(grove: TestApp, { cookie, processInstanceId }: { cookie: string; processInstanceId: string }) {
  const answer = await fetch(`${grove.baseUrl}/api/journey/${processInstanceId}/events`, { headers: { cookie } });
  assert.equal(answer.status, 200);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  return async () => (await reader?.read())?.value;
}

describe('journeys of several servers on one database', () => {
  const places = testPlaces('postgres');

  it('a browser receives from one server the live status of changes made at another', async () => {
    const place = await places.create();
    const one = await openTestApp(place);
    const other = await openTestApp(place);
    try {
      const { user } = await startJourney(one, await testKeyOf(one));
      const next = await watch(other, user);
      assert.match((await next()) ?? '', /"revision":1,/);
      const { step } = await user.look();
      await user.submit(step.id, { accepted: true });
      let news = await next();
      while (news?.includes('"revision":1,')) news = await next();
      assert.match(news ?? '', /"revision":2,/);
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });
});

describe('a server that stops during a live status', () => {
  const places = testPlaces();

  it('a server that stops does not wait for open live statuses', async () => {
    const grove = await openTestApp(await places.create());
    const { user } = await startJourney(grove, await testKeyOf(grove));
    const next = await watch(grove, user);
    await next();
    const stopped = grove.stop();
    assert.equal(await next(), undefined);
    await stopped;
  });
});

describe('a journey through the whole application', () => {
  const places = testPlaces();

  it('a journey through the whole application runs in the sandbox from the redirect address to its end, with live status', async () => {
    const grove = await openTestApp(await places.create());
    try {
      const { user } = await startJourney(grove, await testKeyOf(grove));
      const next = await watch(grove, user);
      const last = await user.finish();
      assert.deepEqual([last.status, last.result.outcome], ['COMPLETED_ENDED_SUCCESS', 'passed']);
      let events = '';
      for (let text = await next(); text !== undefined; text = await next()) events += text;
      assert.match(events, /COMPLETED_ENDED_SUCCESS"\}\n\n$/);
    } finally {
      await grove.stop();
    }
  });

  it('a redirect address leads to the page, and its code to the journey', async () => {
    const grove = await openTestApp(await places.create());
    try {
      const key = await testKeyOf(grove);
      const token = await grove.token(key);
      const creation = await grove.call('/api/process-manager/processTokens', {
        method: 'POST',
        token,
        body: JSON.stringify({ name: 'link', processDefnName: 'document-only' }),
      });
      const address = new URL(creation.body.startProcessAddress);
      const link = await grove.call(address.pathname + address.search, { token: null });
      assert.equal(link.status, 303);
      const page = new URL(link.headers.get('location') as string);
      const body = JSON.stringify(Object.fromEntries(page.searchParams));
      const opened = await grove.call('/api/journey/sessions', { method: 'POST', body, token: null });
      assert.equal((await enter(grove, opened).look()).status, 'ACTIVE');
      const create = `/api/process-manager/processInstances?pt=${creation.body.id}`;
      const started = await grove.call(create, { method: 'POST', token });
      assert.equal(started.status, 307);
      const follow = new URL(started.headers.get('location') as string);
      const redirect = await grove.call(follow.pathname + follow.search, { method: 'POST', token: null });
      assert.equal(redirect.status, 303);
      const code = codeOf(follow.href);
      assert.ok(!(redirect.headers.get('location') as string).includes(code), 'the browser takes the fragment along');
      assert.equal((await (await endUser(grove, code)).look()).status, 'ACTIVE');
    } finally {
      await grove.stop();
    }
  });
});
