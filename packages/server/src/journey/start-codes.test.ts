import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { codeOf, endUser, startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';

onBothEngines('start codes', (_engine, places) => {
  let app: TestApp;
  let token: string;
  let processTokenId: string;
  before(async () => {
    app = await openTestApp(await places.create());
    token = await app.token();
    const body = JSON.stringify({ name: 'codes', processDefnName: 'document-and-selfie' });
    const creation = await app.call('/api/process-manager/processTokens', { method: 'POST', body, token });
    processTokenId = creation.body.id;
  });
  after(() => app.stop());

  const post = (path: string, body: object = {}) =>
    app.call(path, { method: 'POST', body: JSON.stringify(body), token, redirect: 'manual' });
  const create = async (): Promise<{ redirectUrl: string; processInstanceId: string }> =>
    (await post(`/api/process-manager/processInstances/create?pt=${processTokenId}`)).body;
  const redeem = (code: string) =>
    app.call('/api/journey/sessions', { method: 'POST', body: JSON.stringify({ code }), token: null });

  it('start codes are in the fragment of every address that the server creates, and in no query, header or log', async () => {
    const { redirectUrl, processInstanceId } = await create();
    const started = await post(`/api/process-manager/processInstances?pt=${processTokenId}`);
    assert.equal(started.status, 307);
    const user = await endUser(app, codeOf(redirectUrl));
    const offer = JSON.parse((await user.call('/handoffs', { method: 'POST', body: '{}' })).text);
    const resume = await post(`/api/process-manager/processInstances/${processInstanceId}/resumeLink`);
    const addresses = [redirectUrl, started.headers.get('location') ?? '', offer.url, resume.body.redirectUrl];
    for (const address of addresses) {
      const code = codeOf(address);
      assert.match(code, /^acme\.[\w-]{22,}$/, address);
      const { origin, pathname, search, searchParams } = new URL(address);
      assert.deepEqual([...searchParams.keys()], ['pi'], address);
      // A browser does not send the fragment to the server, so no answer and no log can contain the code.
      const opened = await app.call(pathname + search, { token: null, redirect: 'manual' });
      assert.ok(!`${origin}${pathname}${search}`.includes(code) && !opened.headers.get('location')?.includes(code));
      assert.ok(!app.logged().includes(code));
    }
    assert.equal(new Set(addresses.map(codeOf)).size, addresses.length);
  });

  it('100055: the start code of a new instance is refused after ten minutes; a resume link still opens the journey', async () => {
    const [early, late] = [await create(), await create()];
    const link = await post(`/api/process-manager/processInstances/${late.processInstanceId}/resumeLink`);
    app.clock.advance(10 * MINUTE - 1);
    assert.equal((await redeem(codeOf(early.redirectUrl))).status, 200);
    app.clock.advance(1);
    assert.equal((await redeem(codeOf(late.redirectUrl))).body.code, 100055);
    assert.equal((await redeem(codeOf(link.body.redirectUrl))).status, 200);
  });

  it('100055: start codes of a time when the clock was ahead are refused once it is corrected', async () => {
    const right = app.clock.now();
    app.clock.advance(24 * HOUR);
    token = await app.token();
    const { redirectUrl, processInstanceId } = await create();
    const resume = await post(`/api/process-manager/processInstances/${processInstanceId}/resumeLink`);
    app.clock.set(right);
    token = await app.token();
    for (const address of [redirectUrl, resume.body.redirectUrl]) {
      assert.equal((await redeem(codeOf(address))).body.code, 100055, address);
    }
  });

  it('start codes are needed only in the first minutes: a journey that has begun continues by its cookie', async () => {
    const { user } = await startJourney(app, app.apiKey);
    app.clock.advance(11 * MINUTE);
    assert.equal((await user.look()).status, 'ACTIVE');
  });
});
