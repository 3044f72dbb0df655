import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeOf, type EndUser, endUser, enter, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { type MailServer, openMailServer } from '../../../test/mail-server.ts';
import { openReceiver, type Receiver } from '../../../test/webhooks.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';

const ADA = 'ada.byrne@example.com';
const PER_DAY = 8;

onBothEngines('messages to end users', (_engine, places) => {
  let app: TestApp;
  let mails: MailServer;
  let gateway: Receiver;
  let testKey: string;
  before(async () => {
    mails = await openMailServer();
    gateway = await openReceiver();
    app = await openTestApp(await places.create(), {
      environment: {
        SMTP_URL: mails.url,
        MAIL_FROM: 'no-reply@example.org',
        GROVE_MESSAGES_PER_DAY: String(PER_DAY),
        SMS_URL: gateway.uri,
        GROVE_OUTBOUND_ALLOW: new URL(gateway.uri).host,
        GROVE_TRUST_PROXY: '127.0.0.1',
        GROVE_COUNTRY_HEADER: 'cf-ipcountry',
      },
    });
    ({ apiKey: testKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'test', environment: 'test' }));
  });
  after(async () => {
    await app.stop();
    await mails.close();
    await gateway.close();
  });

  const journey = async (parameters: Record<string, string> = {}) =>
    (await startJourney(app, testKey, { processDefnName: 'document-only', parameters })).user;
  const post = (user: EndUser, path: string, body: object, headers: Record<string, string> = {}) =>
    user.call(path, { method: 'POST', body: JSON.stringify(body), headers });
  const send = (user: EndUser, body: object) => post(user, '/handoffs/send', { channel: 'EMAIL', ...body });
  const tell = (user: EndUser, body: object = {}) => post(user, '/notices', body);
  const acme = () => app.app.db.of(asTenantId(app.tenantId));
  const rows = (user: EndUser) =>
    acme().all<{ state: string; sealed: Uint8Array | null }>(
      sql('SELECT state, sealed FROM journey_messages WHERE tenant_id = $1 AND instance_id = $2 ORDER BY id'),
      [app.tenantId, user.processInstanceId],
    );
  /** A job begins when it is committed, but needs some time. */
  const until = async (user: EndUser, state: string) => {
    for (let tries = 0; tries < 500; tries++) {
      const [last] = (await rows(user)).slice(-1);
      if (last?.state === state) return last;
      await new Promise((done) => setTimeout(done, 10));
    }
    throw new Error(`no message is ${state}: ${JSON.stringify(await rows(user))}`);
  };
  const linkIn = (text: string) => /https?:\S+/.exec(text)?.[0] ?? '';
  /** The daily limits count for all tests here, so earlier messages must have arrived before the next test begins. */
  const nextDay = async () => {
    const ready = sql(`SELECT id FROM journey_messages WHERE tenant_id = $1 AND state = 'READY'`);
    for (let tries = 0; (await acme().all(ready, [app.tenantId])).length > 0; tries++) {
      if (tries === 500) throw new Error('messages are still on their way');
      // The mail server that refused a message for now gets it again.
      if (tries % 20 === 19) app.clock.advance(5000);
      await new Promise((done) => setTimeout(done, 10));
    }
    app.clock.advance(24 * HOUR + 1);
  };

  it('a link by e-mail opens the journey on another device once its number is picked, and the address is erased', async () => {
    const user = await journey({ email: ADA });
    assert.deepEqual((await user.look()).messages, { channels: ['EMAIL', 'SMS'], email: 'a…@example.com' });
    const { length } = mails.mails;
    const { status, body } = await send(user, { language: 'de-AT', timeZone: 'Europe/Vienna' });
    assert.deepEqual([status, body.sentTo], [200, 'a…@example.com']);
    const mail = await mails.arrived(length + 1);
    assert.deepEqual(mail.to, [ADA]);
    assert.match(mail.headers.get('subject') ?? '', /^Ihre Prüfung für /);
    const message = await until(user, 'SENT');
    assert.equal(message.sealed, null);
    assert.equal((await user.look()).messages.handoff, 'SENT');
    const opened = await app.call('/api/journey/sessions', {
      method: 'POST',
      token: null,
      body: JSON.stringify({ code: codeOf(linkIn(mail.text)) }),
    });
    assert.equal(opened.status, 200);
    assert.deepEqual(opened.body.handoff.place, { city: 'Vienna', countryCode: 'AT' });
    assert.ok(opened.body.handoff.numbers.includes(body.number));
    const phone = enter(app, opened);
    assert.equal((await phone.look()).messages, undefined, 'who has not found the number learns no address');
    for (const refusal of [await send(phone, {}), await tell(phone)]) assert.equal(refusal.body.code, 100058);
    await post(phone, '/handoffs/confirm', { number: body.number });
    assert.equal((await tell(user)).status, 200, 'who looks on may be told as well');
    await post(phone, '/abandon', {});
    assert.match((await mails.arrived(length + 2)).headers.get('subject') ?? '', /^News about/);
    assert.ok(!app.logged().includes(ADA), 'an address stands in the log');
  });

  it('the end user can type an address; a text message is sent to the gateway', async () => {
    const user = await journey({ phoneNumber: '0151' });
    assert.deepEqual((await user.look()).messages, { channels: ['EMAIL', 'SMS'] });
    const { body } = await send(user, { channel: 'SMS', to: '0049 151 23456789', language: 'fr' });
    assert.equal(body.sentTo, '+49…89');
    await until(user, 'SENT');
    const { to, text } = JSON.parse(gateway.received.at(-1)?.body ?? '');
    assert.equal(to, '+4915123456789');
    for (const table of ['journey_messages', 'message_counts']) {
      const stored = await acme().all({ text: `SELECT * FROM ${table} WHERE tenant_id = $1` }, [app.tenantId]);
      assert.ok(stored.length > 0 && !JSON.stringify(stored).includes('15123456789'), table);
    }
    assert.equal((await endUser(app, codeOf(linkIn(text)))).processInstanceId, user.processInstanceId);
  });

  it('100162: without an address no message is sent, and (100001) none to an invalid one', async () => {
    const user = await journey({ email: 'not an address' });
    assert.equal((await send(user, {})).body.code, 100162);
    assert.equal((await tell(user)).body.code, 100162);
    for (const to of ['a@example.com,b@example.com', 'a@example.com\r\nBcc: b@example.com', '+49 151 234567']) {
      const { body } = await send(user, { to });
      assert.deepEqual([body.code, body.errors[0].pointer], [100001, '/to'], to);
    }
    assert.deepEqual(await rows(user), []);
    assert.equal((await user.look()).device.handoff, 'NONE');
  });

  it('a link by e-mail that is opened in the browser that requested it changes nothing there, and cannot be used again', async () => {
    await nextDay();
    const user = await journey({ email: ADA });
    const { length } = mails.mails;
    await send(user, {});
    const code = codeOf(linkIn((await mails.arrived(length + 1)).text));
    const open = (headers: Record<string, string>) =>
      app.call('/api/journey/sessions', { method: 'POST', token: null, body: JSON.stringify({ code }), headers });
    const own = await open({ cookie: user.cookie });
    assert.deepEqual([own.status, own.body.handoff, own.headers.getSetCookie()], [200, undefined, []]);
    assert.deepEqual((await user.look()).device, { active: true, handoff: 'NONE' });
    assert.equal((await open({})).body.code, 100055);
  });

  it('a message shows the country of the request if the proxy reports it', async () => {
    const user = await journey();
    const { body } = await post(user, '/handoffs', { timeZone: 'Europe/Paris' }, { 'cf-ipcountry': 'br' });
    const code = codeOf(body.url);
    const opened = await app.call('/api/journey/sessions', {
      method: 'POST',
      token: null,
      body: JSON.stringify({ code }),
    });
    assert.deepEqual(opened.body.handoff.place, { city: 'Paris', countryCode: 'FR', addressCountryCode: 'BR' });
  });

  it('100161: an instance sends three messages an hour, also when they are requested at once', async () => {
    await nextDay();
    const user = await journey();
    const answers = await Promise.all([1, 2, 3, 4, 5].map((each) => send(user, { to: `one${each}@example.com` })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 429, 429]);
    const refusal = answers.find(({ status }) => status === 429);
    assert.equal(refusal?.body.code, 100161);
    assert.equal((await tell(user, { to: 'one7@example.com' })).body.code, 100161);
    const wait = Number(refusal?.headers.get('retry-after'));
    assert.ok(wait > 3500 && wait <= 3600, String(wait));
    app.clock.advance(wait * 1000);
    assert.equal((await send(user, { to: 'one6@example.com' })).status, 200);
  });

  it('100161: an address gets five messages a day, whoever requests them and however it is written', async () => {
    await nextDay();
    const users = await Promise.all(Array.from({ length: 7 }, () => journey()));
    const spellings = ['victim', 'Victim', 'victim+1', 'victim+2', 'vic.tim', 'v.i.c.t.i.m+3', 'VICTIM+4+5'];
    const answers = await Promise.all(users.map((user, at) => send(user, { to: `${spellings[at]}@example.com` })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    const refusedUser = users[answers.findIndex(({ status }) => status === 429)] as EndUser;
    assert.deepEqual(await rows(refusedUser), []);
    assert.equal((await refusedUser.look()).device.handoff, 'NONE', 'what was refused has changed nothing');
    await nextDay();
    const later = await journey();
    assert.equal((await send(later, { to: 'victim@example.com' })).status, 200);
  });

  it('100161: a tenant sends no more messages a day than the operator allows', async () => {
    await nextDay();
    const codes: number[] = [];
    for (let at = 0; at < PER_DAY + 2; at++) {
      codes.push((await send(await journey(), { to: `many${at}@example.com` })).status);
    }
    assert.deepEqual(codes, [...Array(PER_DAY).fill(200), 429, 429]);
    const { user: live } = await startJourney(app, app.apiKey, { processDefnName: 'document-only' });
    const answer = await send(live, { to: 'many0@example.com' });
    assert.equal(answer.status, 200, 'what a test key has sent is not taken from live end users');
  });

  it('a message that there is a decision is sent once, does not contain the decision, and the address is erased', async () => {
    await nextDay();
    const user = await journey({ email: ADA });
    assert.equal((await tell(user, { to: 'first@example.com' })).body.sentTo, 'f…@example.com');
    app.clock.advance(1);
    assert.deepEqual((await tell(user, { language: 'ar' })).body, { sentTo: 'a…@example.com' });
    assert.equal((await user.look()).messages.tells, 'a…@example.com');
    assert.deepEqual(
      (await rows(user)).map(({ state, sealed }) => [state, sealed !== null]),
      [
        ['FAILED', false],
        ['WAITING', true],
      ],
    );
    const { length } = mails.mails;
    assert.ok((await user.finish()).result);
    const mail = await mails.arrived(length + 1);
    assert.deepEqual(mail.to, [ADA]);
    assert.match(mail.html, /dir="rtl"/);
    assert.doesNotMatch(mail.text + mail.html, /https?:\/\//);
    assert.equal((await until(user, 'SENT')).sealed, null);
    assert.equal((await user.look()).messages, undefined);
    assert.equal((await tell(user)).body.code, 100057);
    assert.equal((await send(user, {})).body.code, 100057);
  });

  it('an end user who waits for the decision and is asked again gets a link in their own language, and the address is erased', async () => {
    await nextDay();
    const { user, token } = await startJourney(app, testKey, {
      processDefnName: 'document-only',
      parameters: { email: ADA, _scenario: 'document-inconsistent' },
    });
    assert.equal((await user.finish()).waitingFor, 'review');
    assert.equal((await tell(user, { language: 'de' })).status, 200);
    const { length } = mails.mails;
    const answer = await app.call(`/api/process-manager/reviews/${user.processInstanceId}/askAgain`, {
      method: 'POST',
      token,
      body: JSON.stringify({ comment: 'for colleagues alone', steps: ['document'], reason: 'unreadable' }),
    });
    assert.equal(answer.status, 200, answer.text);
    const mail = await mails.arrived(length + 1);
    assert.deepEqual(mail.to, [ADA]);
    assert.match(mail.text, /24 Stunden/);
    assert.doesNotMatch(mail.text, /colleagues/);
    assert.equal((await until(user, 'SENT')).sealed, null);
    // The case shows that the message was sent, but not the address.
    const sessions = `/api/process-manager/processInstances/${user.processInstanceId}/sessions`;
    const { body, text: listText } = await app.call(sessions, { token });
    const { id: _id, createdDtm: _createdDtm, ...message } = body.messages[0];
    assert.deepEqual(message, { kind: 'ASKED_AGAIN', channel: 'EMAIL', state: 'SENT' });
    assert.equal(body.messages.length, 1);
    assert.ok(!listText.includes(ADA));
    const redeem = (link: string) =>
      app.call('/api/journey/sessions', { method: 'POST', token: null, body: JSON.stringify({ code: codeOf(link) }) });
    assert.notEqual(linkIn(mail.text), answer.body.redirectUrl);
    const opened = await redeem(linkIn(mail.text));
    assert.deepEqual([opened.status, opened.body.journey.step.id], [200, 'document']);
    assert.equal(opened.body.journey.askedAgain.reason, 'unreadable');
    assert.equal((await redeem(linkIn(mail.text))).body.code, 100055);
  });

  it('an operator sends the link of a verification to the known address or to another one, and never sees the link', async () => {
    await nextDay();
    const { user, token } = await startJourney(app, testKey, { parameters: { email: ADA } });
    const path = `/api/process-manager/processInstances/${user.processInstanceId}/resumeLink/send`;
    const sendLink = (body: object, headers = {}) =>
      app.call(path, { method: 'POST', token, body: JSON.stringify(body), headers });
    const { length } = mails.mails;
    const answer = await sendLink({ language: 'de' }, { 'Idempotency-Key': 'once' });
    assert.deepEqual(
      [answer.status, Object.keys(answer.body).toSorted()],
      [202, ['expiringDtm', 'sentTo']],
      answer.text,
    );
    assert.equal((await sendLink({ language: 'de' }, { 'Idempotency-Key': 'once' })).status, 202);
    const mail = await mails.arrived(length + 1);
    assert.deepEqual(mail.to, [ADA]);
    assert.match(mail.text, /Ihre Identität zu bestätigen[\s\S]*24 Stunden/);
    assert.equal((await endUser(app, codeOf(linkIn(mail.text)))).processInstanceId, user.processInstanceId);
    assert.equal((await sendLink({ to: 'other@example.com' })).status, 202);
    assert.deepEqual((await mails.arrived(length + 2)).to, ['other@example.com']);
    assert.equal((await sendLink({ to: 'nobody' })).status, 400);
    assert.equal((await sendLink({})).status, 202);
    assert.deepEqual([(await sendLink({})).body.code, mails.mails.length <= length + 3], [100161, true]);
    const events = await app.call(`/api/process-manager/auditEvents?processInstanceId=${user.processInstanceId}`, {
      token,
    });
    assert.equal(events.text.match(/instance\.linkSent/g)?.length, 3);
    assert.doesNotMatch(events.text, /example\.com/);
  });

  it('100022, 100057, 100162: no link is sent for a verification that is unknown, has ended, or has no known address', async () => {
    await nextDay();
    const { user, token } = await startJourney(app, testKey, { processDefnName: 'document-only' });
    const codeFor = async (id: string) => {
      const path = `/api/process-manager/processInstances/${id}/resumeLink/send`;
      const { status, body } = await app.call(path, { method: 'POST', token, body: '{}' });
      return [status, body.code];
    };
    assert.deepEqual(await codeFor(newId(app.clock.now())), [404, 100022]);
    assert.deepEqual(await codeFor(user.processInstanceId), [400, 100162]);
    await user.finish();
    assert.deepEqual(await codeFor(user.processInstanceId), [409, 100057]);
  });

  it('a message that the mail server refuses for now is sent again later; one that can never be sent is erased', async () => {
    await nextDay();
    const [later, never, late] = [await journey(), await journey(), await journey()];
    mails.answers.push(450);
    await send(later, { to: 'later@example.com' });
    await retried(1);
    assert.equal((await rows(later))[0]?.state, 'READY');
    const { length } = mails.mails;
    app.clock.advance(2000);
    await app.app.jobs.runDue();
    assert.deepEqual((await mails.arrived(length + 1)).to, ['later@example.com']);
    mails.answers.push(550);
    await send(never, { to: 'never@example.com' });
    assert.equal((await until(never, 'FAILED')).sealed, null);
    assert.equal((await never.look()).messages.handoff, 'FAILED');
    mails.answers.push(450);
    await send(late, { to: 'late@example.com' });
    await retried(1);
    app.clock.advance(5 * MINUTE);
    await app.app.jobs.runDue();
    assert.equal((await until(late, 'FAILED')).sealed, null);
    assert.ok(!mails.mails.some(({ to }) => to.includes('late@example.com')));
    const acceptedUser = await journey();
    mails.answers.push(450);
    await send(acceptedUser, { to: 'taken@example.com' });
    await retried(1);
    await post(acceptedUser, '/handoffs/takeBack', {});
    assert.equal((await until(acceptedUser, 'FAILED')).sealed, null, 'a link that was taken back is not sent');
  });
  /** The job has failed once, and waits. */
  const retried = async (count: number) => {
    for (let tries = 0; tries < 500; tries++) {
      const jobs = await app.app.db.system.all<{ attempts: number; lease_until: number }>(
        sql(`SELECT attempts, lease_until FROM jobs WHERE kind = 'journey.send-message' AND state = 'READY'`),
        [],
      );
      if (jobs.some(({ attempts, lease_until }) => attempts === count && lease_until === 0)) return;
      await new Promise((done) => setTimeout(done, 10));
    }
    throw new Error('the job was not tried');
  };

  it('a message that no job has erased is erased within an hour, and counts and messages are removed after a day', async () => {
    await nextDay();
    const user = await journey();
    mails.answers.push(450);
    await send(user, { to: 'stuck@example.com' });
    await retried(1);
    app.clock.advance(HOUR);
    await app.app.jobs.tend();
    await app.app.jobs.runDue();
    assert.equal((await until(user, 'FAILED')).sealed, null);
    await nextDay();
    await app.app.jobs.tend();
    await app.app.jobs.runDue();
    assert.deepEqual(await rows(user), []);
    const counts = sql('SELECT name FROM message_counts WHERE tenant_id = $1');
    assert.deepEqual(await acme().all(counts, [app.tenantId]), []);
  });

  it('100161: an address that used up a day while the clock was ahead waits at most a day once the clock is corrected', async () => {
    const right = app.clock.now();
    app.clock.advance(300 * 24 * HOUR);
    for (let at = 0; at < PER_DAY + 1; at++) await send(await journey(), { to: `ahead${at}@example.com` });
    await nextDay();
    app.clock.set(right + 24 * HOUR + 1);
    assert.equal((await send(await journey(), { to: 'ahead0@example.com' })).status, 200);
  });

  it('100161: messages sent while the clock was ahead do not count for their instance once it is corrected', async () => {
    await nextDay();
    const user = await journey();
    const right = app.clock.now();
    app.clock.advance(3 * HOUR);
    for (let at = 0; at < 3; at++) assert.equal((await send(user, { to: `hour${at}@example.com` })).status, 200);
    app.clock.set(right);
    assert.equal((await send(user, { to: 'hour3@example.com' })).status, 200);
  });

  it('a message to an end user is deleted together with its instance', async () => {
    const user = await journey();
    await tell(user, { to: ADA });
    const path = `/api/process-manager/processInstances/${user.processInstanceId}`;
    const { status } = await app.call(path, { method: 'DELETE', token: await app.token(testKey) });
    assert.ok(status < 300, String(status));
    assert.deepEqual(await rows(user), []);
  });
});

describe('messages that are not configured', () => {
  const places = testPlaces();
  it('100160: without a mail server or gateway, no page offers messages and none is sent', async () => {
    const app = await openTestApp(await places.create());
    try {
      const { apiKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'test', environment: 'test' });
      const { user } = await startJourney(app, apiKey, { parameters: { email: ADA } });
      assert.equal((await user.look()).messages, undefined);
      const post = (path: string, body: object) => user.call(path, { method: 'POST', body: JSON.stringify(body) });
      for (const channel of ['EMAIL', 'SMS']) {
        assert.equal((await post('/handoffs/send', { channel })).body.code, 100160);
      }
      assert.equal((await post('/notices', {})).body.code, 100160);
    } finally {
      await app.stop();
    }
  });
});
