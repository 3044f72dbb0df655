import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { AUDREY, picture } from '../../../vision/test/pictures.ts';
import { startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { type MailServer, openMailServer } from '../../test/mail-server.ts';
import { fetchAtHost, firstOwner, hostOf, originOf, type Person } from '../../test/operators.ts';
import { RECORDED_BY_HANDLER } from '../../test/recorded-by-handler.ts';

const MANAGER = '/api/process-manager';
const LISTS = '/api/watchlist-manager/facewatchlists';
const PERSONS = '/api/userdata-server/personRequests';
const IN_TEST = { 'X-Grove-Environment': 'test' };
const MAX_POLLS = 1200;
const REASON = { comment: 'Because of the audit' };

/** An operator calls every operation that records itself, each once, in an order in which all of them succeed. */
describe('every handler that records its own audit event', () => {
  const places = testPlaces();
  let mails: MailServer;
  let grove: TestApp;
  let owner: Person;
  let testKey: string;
  before(async () => {
    mails = await openMailServer();
    grove = await openTestApp(await places.create(), {
      environment: {
        GROVE_VISION: 'lazy',
        GROVE_OUTBOUND_ALLOW: '127.0.0.1',
        SMTP_URL: mails.url,
        MAIL_FROM: 'no-reply@example.org',
      },
    });
    testKey = (await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    owner = await firstOwner(grove);
  });
  after(async () => {
    await grove.stop();
    await mails.close();
  });

  const call = async (method: string, path: string, body?: object) => {
    const answer = await owner.call(path, { method, headers: IN_TEST, ...(body && { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const post = (path: string, body: object = {}) => call('POST', path, body);
  const started = async (_scenario = 'face-mismatch') => {
    const parameters = { _scenario, firstName: 'Ada', lastName: 'Byrne', email: 'ada@example.com' };
    return startJourney(grove, testKey, { parameters });
  };
  const inReview = async (scenario?: string) => {
    const { user, processInstanceId } = await started(scenario);
    await user.finish();
    return processInstanceId;
  };
  const until = async (path: string) => {
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const { state } = await call('GET', path);
      assert.notEqual(state, 'FAILED', path);
      if (state === 'DONE') return;
      await wait(50);
    }
    throw new Error(`${path} is not done`);
  };
  /**
   * The records of this operator, newest first. A request for the list makes the server write its collected records.
   */
  const countOf = async (action: string): Promise<number> => {
    const query = `action=${action}&operatorId=${owner.id}&size=100`;
    return (await call('GET', `${MANAGER}/auditEvents?${query}`)).content.length;
  };

  it('every handler that records its own audit event leaves a record with the person who called it', async () => {
    const done: string[] = [];
    /** Calls the operation and expects one more record. */
    const records = async <T>(id: keyof typeof RECORDED_BY_HANDLER, act: () => Promise<T>): Promise<T> => {
      const action = RECORDED_BY_HANDLER[id] ?? '';
      const earlier = await countOf(action);
      const result = await act();
      assert.equal((await countOf(action)) - earlier, 1, `${id} leaves one ${action}`);
      done.push(id);
      return result;
    };
    await reviews(records);
    await instances(records);
    await persons(records);
    await watchlists(records);
    assert.deepEqual(done.sort(), Object.keys(RECORDED_BY_HANDLER).sort());
  });

  type Records = <T>(id: keyof typeof RECORDED_BY_HANDLER, act: () => Promise<T>) => Promise<T>;

  async function reviews(records: Records): Promise<void> {
    const id = await inReview('applicant-uncertain');
    const path = `${MANAGER}/reviews/${id}`;
    await records('reviews.claim', () => post(`${path}/claim`));
    await records('reviews.release', () => post(`${path}/release`));
    await records('reviews.assign', () => post(`${path}/assign`, { operatorId: owner.id }));
    await records('reviews.setPriority', () => post(`${path}/priority`, { priority: 'HIGH' }));
    const correction = { document: 'doc1', fieldName: 'Last Name', value: 'Byrne', ...REASON };
    await records('reviews.correct', () => post(`${path}/correct`, correction));
    await records('reviews.approve', () => post(`${path}/approve`, REASON));
    await records('reviews.reopen', () => post(`${path}/reopen`, REASON));
    await records('reviews.reject', () => post(`${path}/reject`, REASON));
    await records('processInstances.redact', () => post(`${MANAGER}/processInstances/${id}/redact`));
    const another = `${MANAGER}/reviews/${await inReview()}`;
    await records('reviews.askAgain', () => post(`${another}/askAgain`, { ...REASON, steps: ['selfie'] }));
  }

  async function instances(records: Records): Promise<void> {
    const link = { name: 'audited', processDefnName: 'document-and-selfie' };
    const { id: tokenId } = await post(`${MANAGER}/processTokens`, link);
    const token = `${MANAGER}/processTokens/${tokenId}`;
    await records('processTokens.update', () => post(token, { description: 'Changed' }));
    await records('processTokens.delete', () => call('DELETE', token));
    const { processInstanceId: open } = await started();
    const path = `${MANAGER}/processInstances/${open}`;
    await records('processInstances.sendResumeLink', () => post(`${path}/resumeLink/send`, { to: 'ada@example.com' }));
    await records('instanceNotes.add', () => post(`${path}/notes`, { text: 'Called back' }));
    const id = await inReview();
    const { processDefnId } = await call('GET', `${MANAGER}/processInstances/${id}`);
    const data = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${id}`;
    await records('userData.archive', () => post(`${data}/userdataarchive`));
    await post(`${MANAGER}/reviews/${id}/approve`, REASON);
    await records('userData.signResult', () => post(`${data}/signedResult`));
    const { id: exportId } = await records('instanceExports.create', () =>
      post(`${MANAGER}/exports`, { format: 'JSON' }),
    );
    await until(`${MANAGER}/exports/${exportId}`);
    await records('instanceExports.download', () => post(`${MANAGER}/exports/${exportId}/file`));
    await records('instanceExports.delete', () => call('DELETE', `${MANAGER}/exports/${exportId}`));
    await records('processInstances.delete', () => call('DELETE', `${MANAGER}/processInstances/${id}`));
    await records('retention.run', () => post(`${MANAGER}/retention/run`));
  }

  async function persons(records: Records): Promise<void> {
    const email = 'ada@example.com';
    const { id } = await records('personRequests.find', () => post(PERSONS, { email }));
    await until(`${PERSONS}/${id}`);
    await records('personRequests.archive', () => post(`${PERSONS}/${id}/archive`));
    await records('personRequests.erase', async () => {
      const request = await post(`${PERSONS}/erase`, { email });
      await until(`${PERSONS}/${request.id}`);
    });
  }

  async function watchlists(records: Records): Promise<void> {
    const list = { name: 'audited', type: 'EMAIL' };
    const { id } = await records('watchlists.create', () => post(LISTS, list));
    const path = `${LISTS}/${id}`;
    await records('watchlists.update', () => post(path, { description: 'Changed' }));
    const members = `${path}/watchlist-members`;
    const member = await records('watchlists.addMember', () => post(members, { value: 'ada@example.com' }));
    await records('watchlists.updateMember', () => post(`${members}/${member.id}`, { note: 'Changed' }));
    await records('watchlists.match', () => post(`${path}/match`, { value: 'ada@example.com' }));
    await records('watchlists.removeMember', () => call('DELETE', `${members}/${member.id}`));
    await records('watchlists.delete', () => call('DELETE', path));
    const { id: faces } = await post(LISTS, { name: 'audited faces', type: 'FACE' });
    await records('watchlists.addMemberImage', async () => {
      const answer = await fetchAtHost(`${grove.baseUrl}${LISTS}/${faces}/watchlist-member-images`, {
        method: 'POST',
        body: picture(AUDREY) as never,
        headers: {
          Host: hostOf(grove),
          Origin: originOf(grove),
          'Sec-Fetch-Site': 'same-origin',
          'Content-Type': 'image/jpeg',
          Cookie: `grove-operator=${owner.cookie}`,
          ...IN_TEST,
        },
      });
      assert.equal(answer.status, 201, await answer.text());
    });
  }
});
