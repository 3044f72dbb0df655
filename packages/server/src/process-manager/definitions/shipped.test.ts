import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EndUser, startJourney } from '../../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { JPEG } from '../../../test/images.ts';

const ADA = { firstName: 'Ada', lastName: 'Byrne', dateOfBirth: '1990-12-10' };
const DETAILS = { address: '1 Harbour Street, Dublin', country: 'Ireland' };

type Parameters = Record<string, string>;

describe('a shipped definition', () => {
  const places = testPlaces();
  let app: TestApp;
  let testKey: string;
  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  after(() => app.stop());

  /** Submits all steps in the sandbox; `document` replaces the photograph of a document. */
  const finish = async (user: EndUser, document: object = {}) => {
    for (let at = 0; at < 20; at++) {
      const { step } = await user.settled();
      if (!step) return;
      if (step.type === 'document') await user.upload(step.id, 'front', document);
      if (step.type === 'face') await user.upload(step.id, 'image', {});
      const result = step.type === 'consent' ? { accepted: true } : step.type === 'form' ? DETAILS : {};
      const { status, text } = await user.submit(step.id, result);
      assert.equal(status, 200, text);
    }
  };
  const read = async (id: string, token: string) => {
    const instance = (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
    const place = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${id}`;
    const { _assurance } = (await app.call(`${place}/userdata?optimized=true`, { token })).body;
    const checks = (await app.call(`${place}/userdata/checks`, { token })).body as { name: string; status: string }[];
    return { instance, assurance: _assurance, checks, status: instance.status as string };
  };
  const run = async (processDefnName: string, parameters: Parameters = {}, document: object = {}) => {
    const { user, processInstanceId: id, token } = await startJourney(app, testKey, { processDefnName, parameters });
    await finish(user, document);
    return { id, token, ...(await read(id, token)) };
  };
  const applicantOf = (checks: { name: string; status: string }[]) =>
    checks.find(({ name }) => name === 'applicantMatch')?.status;

  it('a shipped definition declares its level of assurance in the document, and why', async () => {
    for (const { id, name, description } of (await app.client.processDefinitions.list()).content) {
      const { document } = await app.client.processDefinitions.get({ processDefinitionId: id });
      assert.equal(document.assurance, name === 'kyc' ? 'substantial' : 'basic');
      assert.match(description ?? '', name === 'kyc' ? /Substantial/ : /Basic/);
    }
  });

  it('a shipped definition never accepts a single picture alone, and declines nobody for failed liveness', async () => {
    for (const { id } of (await app.client.processDefinitions.list()).content) {
      const { document } = await app.client.processDefinitions.get({ processDefinitionId: id });
      for (const step of document.steps as { type: string; liveness?: string }[]) {
        if (step.type === 'face') assert.equal(step.liveness, 'active');
      }
    }
    for (const name of ['selfie-reauthentication', 'age-check']) {
      assert.equal((await run(name, { _scenario: 'liveness-failed' })).status, 'REVIEW', name);
    }
  });

  it('document-and-selfie accepts the expected person, and shows what was assessed', async () => {
    const { status, assurance, checks } = await run('document-and-selfie', ADA);
    assert.equal(status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal(applicantOf(checks), 'PASSED');
    assert.deepEqual(
      [assurance.level, assurance.decidedBy, assurance.simulated, assurance.missing],
      ['basic', 'machine', true, []],
    );
    assert.equal(assurance.presentationAttack.reason, 'challenge_answered');
    assert.equal(assurance.identityBinding.status, 'PASSED');
    assert.equal(assurance.expectedPerson.status, 'PASSED');
  });

  it('a shipped definition accepts no other person automatically: not one with another name, nor another birth date', async () => {
    const others = [
      ['document-and-selfie', { 'First Name': 'GRACE', 'Last Name': 'HOPPER' }],
      ['document-and-selfie', { 'Date Of Birth': '1991-12-10' }],
      ['document-only', { 'First Name': 'EVA' }],
      ['age-check', { 'Last Name': 'HOPPER' }],
      ['kyc', { 'Date Of Birth': '1991-12-10' }],
    ] as const;
    for (const [name, fields] of others) {
      const { status, checks } = await run(name, ADA, { fields });
      assert.notEqual(status, 'COMPLETED_ENDED_SUCCESS', `${name} ${JSON.stringify(fields)}`);
      assert.match(applicantOf(checks) ?? '', /FAILED|REVIEW/);
    }
  });

  it('age-check accepts adults, declines younger applicants, and goes to a human if the birth date was not read', async () => {
    assert.equal((await run('age-check', ADA)).status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal((await run('age-check', { _scenario: 'underage' })).status, 'COMPLETED_ENDED_ERROR');
    assert.equal((await run('age-check', { ...ADA, minimumAge: '99' })).status, 'COMPLETED_ENDED_ERROR');
    assert.equal((await run('age-check', {}, { fields: { 'Date Of Birth': 'unreadable' } })).status, 'REVIEW');
    assert.equal(
      (await run('age-check', {}, { expired: true, fields: { 'Date Of Birth': '2020-01-01' } })).status,
      'REVIEW',
    );
  });

  it('kyc goes to a human even if the checks pass, and shows the reviewer what was assessed', async () => {
    const { id, token, status, assurance } = await run('kyc', ADA);
    assert.equal(status, 'REVIEW');
    assert.deepEqual([assurance.level, assurance.missing], ['substantial', ['second_factor_missing']]);
    const { content } = (await app.call('/api/process-manager/reviews?size=100', { token })).body;
    const review = content.find(({ processInstanceId }: { processInstanceId: string }) => processInstanceId === id);
    assert.deepEqual(review.reasons, ['decide:second_factor_missing']);
    assert.deepEqual(review.assurance, assurance);
    const approve = { method: 'POST', token, body: JSON.stringify({ comment: 'Looks right' }) };
    assert.equal((await app.call(`/api/process-manager/reviews/${id}/approve`, approve)).status, 200);
    const result = await read(id, token);
    assert.deepEqual([result.status, result.assurance.decidedBy], ['COMPLETED_ENDED_SUCCESS', 'human']);
  });

  it('a shipped definition runs in live as well: without image analysis nothing is assessed, and a human decides', async () => {
    for (const processDefnName of ['age-check', 'kyc']) {
      const started = await startJourney(app, app.apiKey, { processDefnName, parameters: ADA });
      const { user, processInstanceId: id, token } = started;
      const image = { method: 'POST', body: JPEG, headers: { 'content-type': 'image/jpeg' } };
      await user.submit('consent', { accepted: true });
      await user.call('/steps/document/images/front', image);
      await user.submit('document');
      if ((await user.settled()).step.type === 'form') await user.submit('details', DETAILS);
      const { revision } = await user.look();
      await user.call('/steps/selfie', { method: 'POST', body: JSON.stringify({ revision, unable: true }) });
      await user.settled();
      const { status, assurance, checks } = await read(id, token);
      assert.equal(status, 'REVIEW', processDefnName);
      assert.equal(applicantOf(checks), 'NOT_PERFORMED');
      assert.equal(assurance.simulated, false);
      for (const what of ['presentationAttack', 'documentAuthenticity', 'identityBinding', 'expectedPerson']) {
        assert.equal(assurance[what].assessed, false, what);
      }
      const approve = { method: 'POST', token, body: JSON.stringify({ comment: 'Seen in person' }) };
      await app.call(`/api/process-manager/reviews/${id}/approve`, approve);
      assert.equal((await read(id, token)).status, 'COMPLETED_ENDED_SUCCESS');
    }
  });
});
