import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { type MailServer, openMailServer } from '../../test/mail-server.ts';
import { confirm, firstOwner, invitePerson, type Person } from '../../test/operators.ts';
import { MINUTE } from '../kernel/clock.ts';
import { CASE_MAILS_AN_HOUR } from './case-mails.ts';

const TEST = { 'X-Grove-Environment': 'test' };

onBothEngines('e-mails that tell operators of cases', (_engine, places) => {
  let grove: TestApp;
  let mails: MailServer;
  let owner: Person;
  let grace: Person;
  let alan: Person;
  let testKey: string;
  before(async () => {
    mails = await openMailServer();
    grove = await openTestApp(await places.create(), {
      environment: { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@example.org' },
    });
    owner = await firstOwner(grove);
    grace = await invitePerson(grove, owner, 'Reviewer', 'Grace');
    alan = await invitePerson(grove, owner, 'Reviewer', 'Alan');
    testKey = (await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  after(async () => {
    await grove.stop();
    await mails.close();
  });

  const caseOf = async (lastName: string) => {
    const parameters = { _scenario: 'face-mismatch', lastName, email: `${lastName}@example.com` };
    const { user, processInstanceId } = await startJourney(grove, testKey, { parameters });
    await user.finish();
    return processInstanceId;
  };
  const note = (id: string, by: Person, body: object) =>
    by.call(`/api/process-manager/processInstances/${id}/notes`, { body, headers: TEST });
  const assign = (id: string, body: object) =>
    owner.call(`/api/process-manager/reviews/${id}/assign`, { body, headers: TEST });
  /** The mails that arrive after the minute in which several are combined. */
  const arrived = async () => {
    const before = mails.mails.length;
    grove.clock.advance(MINUTE);
    await grove.app.jobs.runDue();
    return mails.mails.slice(before);
  };

  it('e-mails that tell operators of cases are sent to the assigned operator, in the language of that operator, with a link and without personal data', async () => {
    const id = await caseOf('Needleman');
    assert.equal((await assign(id, { operatorId: alan.id, language: 'de' })).status, 200);
    const [mail, ...others] = await arrived();
    assert.deepEqual([mail?.to, others], [['alan@acme.com'], []]);
    assert.ok(mail?.text.includes(`/console/reviews/${id}?environment=test`), mail?.text);
    assert.match(mail?.headers.get('subject') ?? '', /zugewiesen/);
    assert.doesNotMatch(mail?.raw ?? '', /Needleman/i);
  });

  it('e-mails that tell operators of cases are sent to mentioned operators, once for several notes in a minute, and to nobody about their own actions', async () => {
    const id = await caseOf('Haystack');
    for (const text of ['First look', 'Second look']) {
      const mentions = [alan.id, grace.id];
      assert.equal((await note(id, grace, { text, mentions })).status, 201);
    }
    const [mail, ...others] = await arrived();
    assert.deepEqual([mail?.to, others], [['alan@acme.com'], []]);
    assert.ok(mail?.text.includes(`/console/instances/${id}?environment=test`), mail?.text);
    assert.doesNotMatch(mail?.raw ?? '', /Haystack|look/i);
  });

  it('e-mails that tell operators of cases are not sent to an operator who was suspended meanwhile, and a refused address does not stop the others', async () => {
    const id = await caseOf('Late');
    const other = await invitePerson(grove, owner, 'Reviewer', 'Ada');
    await note(id, grace, { text: 'x', mentions: [other.id] });
    await confirm(owner);
    const suspended = await owner.call(`/api/operator-manager/operators/${other.id}`, {
      body: { status: 'SUSPENDED' },
    });
    assert.equal(suspended.status, 200, suspended.text);
    assert.deepEqual(await arrived(), []);
    mails.answers.push(550);
    await note(id, grace, { text: 'y', mentions: [alan.id] });
    assert.deepEqual(await arrived(), []);
    await note(id, grace, { text: 'z', mentions: [alan.id] });
    assert.equal((await arrived()).length, 1);
  });

  it('e-mails that tell operators of cases are in English if the console does not have the language', async () => {
    const id = await caseOf('Plain');
    const refusal = await note(id, grace, { text: 'x', mentions: [alan.id], language: 'fr' });
    assert.equal(refusal.body.code, 100001);
    await note(id, grace, { text: 'x', mentions: [alan.id] });
    assert.match((await arrived())[0]?.headers.get('subject') ?? '', /^A note at acme mentions you$/);
  });
  it('e-mails that tell operators of cases are limited for each operator and environment, whoever mentions them; the rest is only in the console', async () => {
    const { id: operatorId } = await invitePerson(grove, owner, 'Reviewer', 'Flora');
    const { processInstanceId: tested } = await startJourney(grove, testKey);
    // After a minute each note is a mail of its own.
    const minutes = CASE_MAILS_AN_HOUR + 2;
    const texts = Array.from({ length: minutes }, (_, at) => `note ${at}`);
    let count = 0;
    for (const text of texts) {
      const body = JSON.stringify({ text, mentions: [operatorId] });
      const path = `/api/process-manager/processInstances/${tested}/notes`;
      const { status } = await grove.call(path, { method: 'POST', body, token: await grove.token(testKey) });
      assert.equal(status, 201);
      count += (await arrived()).length;
    }
    assert.equal(count, CASE_MAILS_AN_HOUR);
    const { processInstanceId: live } = await startJourney(grove, grove.apiKey);
    const body = JSON.stringify({ text: 'live', mentions: [operatorId] });
    await grove.call(`/api/process-manager/processInstances/${live}/notes`, { method: 'POST', body });
    assert.equal((await arrived()).length, 1, 'a test key uses up nothing of live');
  });
});
