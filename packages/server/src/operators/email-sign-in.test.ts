import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { URI } from 'otpauth';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { type MailServer, openMailServer } from '../../test/mail-server.ts';
import {
  browse,
  confirm,
  cookieFrom,
  firstOwner,
  invitePerson,
  joinByLink,
  type Person,
} from '../../test/operators.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { removeCeremoniesOf } from './ceremonies.repository.ts';
import { LINKS_AN_HOUR, LINKS_OF_NETWORK_AN_HOUR } from './email-links.ts';
import { findOperatorForUpdate } from './operators.repository.ts';

const OPERATORS = '/api/operator-manager/operators';
const EMAIL = '/api/console/signIn/email';
/** The time in which a request that must wait could wrongly answer. */
const PATIENCE_MS = 300;

onBothEngines('signing in by e-mail', (_engine, places) => {
  let grove: TestApp;
  let mails: MailServer;
  let owner: Person;
  let mailCount = 0;
  before(async () => {
    mails = await openMailServer();
    grove = await openTestApp(await places.create(), {
      environment: { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@example.org', GROVE_TRUST_PROXY: '127.0.0.1' },
    });
    owner = await firstOwner(grove);
  });
  after(async () => {
    await grove.stop();
    await mails.close();
  });

  const ask = (email: string, network = '203.0.113.1') =>
    browse(grove, `${EMAIL}/start`, { body: { email }, headers: { 'x-forwarded-for': network } });
  const open = (code: string) => browse(grove, `${EMAIL}/open`, { body: { code } });
  const complete = (ceremonyId: string, code: string) =>
    browse(grove, `${EMAIL}/complete`, { body: { ceremonyId, code } });
  /** Requests a link, and returns the code in the next mail. */
  const linkTo = async (email: string, network?: string): Promise<string> => {
    const { status, text } = await ask(email, network);
    assert.deepEqual([status, text], [200, '{}']);
    mailCount += 1;
    const { text: mail, to } = await mails.arrived(mailCount);
    assert.deepEqual(to, [email]);
    return /#email=([\w-]{43})/.exec(mail)?.[1] ?? '';
  };
  const codeFrom = (uri: string, away = 0) =>
    (URI.parse(uri) as unknown as { generate(at: { timestamp: number }): string }).generate({
      timestamp: grove.clock.now() + away,
    });
  const invite = async (name: string, role = 'Reviewer') => {
    await confirm(owner);
    const email = `${name}@acme.com`;
    const { body, text } = await owner.call(OPERATORS, { body: { name, email, role } });
    assert.ok(body.operator?.id, text);
    return { email, id: body.operator.id as string };
  };
  const actionsOf = async (operatorId: string): Promise<string[]> => {
    const { body } = await owner.call(`/api/process-manager/auditEvents?operatorId=${operatorId}&size=100`);
    return body.content.map(({ action }: { action: string }) => action).toSorted();
  };
  /** Invites an operator who joins with an app, and returns the address of the app. */
  const joined = async (name: string) => {
    const { email, id } = await invite(name);
    const { body } = await open(await linkTo(email));
    const answer = await complete(body.ceremonyId, codeFrom(body.enrolment.uri));
    assert.equal(answer.status, 200, answer.text);
    return { email, id, uri: body.enrolment.uri as string, cookie: cookieFrom(answer), answer };
  };

  it('an invited operator opens the link, sets up an app, and is signed in; every step is in the audit trail', async () => {
    const { answer, id, cookie } = await joined('mia');
    assert.equal(answer.body.operator.name, 'mia');
    assert.match(answer.headers.getSetCookie()[0] ?? '', /HttpOnly; SameSite=Strict$/);
    const { body } = await browse(grove, '/api/console/session', { cookie });
    assert.equal(body.operator.role, 'Reviewer');
    assert.deepEqual(await actionsOf(id), ['operator.joined', 'operator.linkSent', 'operator.totpAdded']);
    const { body: own } = await browse(grove, '/api/console/passkeys', { cookie });
    assert.deepEqual(own, { passkeys: [], totp: true });
  });

  it('an operator with an app signs in again with its code, which works once', async () => {
    const { email, uri, id } = await joined('ben');
    grove.clock.advance(MINUTE);
    const { body } = await open(await linkTo(email));
    assert.equal(body.enrolment, undefined);
    const code = codeFrom(uri);
    const answer = await complete(body.ceremonyId, code);
    assert.equal(answer.status, 200, answer.text);
    assert.ok((await actionsOf(id)).includes('operator.signedIn'));
    // The ceremony is over, and the same code is refused in another one.
    assert.equal((await complete(body.ceremonyId, code)).body.code, 100035);
    const next = await open(await linkTo(email));
    assert.equal((await complete(next.body.ceremonyId, code)).body.code, 100350);
  });

  it('100219: a sign-in link works once within ten minutes, and the database does not contain it', async () => {
    const { email } = await invite('liv');
    const first = await linkTo(email);
    assert.equal((await open(first)).status, 200);
    assert.equal((await open(first)).body.code, 100219);
    const late = await linkTo(email);
    grove.clock.advance(10 * MINUTE);
    assert.equal((await open(late)).body.code, 100219);
    assert.equal((await open('guessed')).body.code, 100219);
  });

  it('100350 and 100216: wrong codes at sign-in are counted, and five of them lock the operator', async () => {
    const { email, id, uri } = await joined('kim');
    grove.clock.advance(MINUTE);
    const { body } = await open(await linkTo(email));
    const codes: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      codes.push((await complete(body.ceremonyId, '000000')).body.code);
    }
    assert.deepEqual(codes, [100350, 100350, 100350, 100350, 100216]);
    const right = await complete(body.ceremonyId, codeFrom(uri));
    assert.equal(right.body.code, 100216, 'the right code does not open a lock');
    assert.ok((await actionsOf(id)).includes('operator.locked'));
  });

  it('signing in by e-mail answers alike for every address, and sends nothing to strangers, to operators with a passkey or to suspended ones', async () => {
    const { id, email } = await joined('zoe');
    await confirm(owner);
    const suspended = await owner.call(`${OPERATORS}/${id}`, { body: { status: 'SUSPENDED' } });
    assert.equal(suspended.status, 200, suspended.text);
    await invitePerson(grove, owner, 'Auditor', 'Paula');
    const answers = [];
    for (const address of ['nobody@acme.com', 'olga@acme.com', 'paula@acme.com', email])
      answers.push(await ask(address));
    for (const { status, text } of answers) assert.deepEqual([status, text], [200, '{}']);
    // The later mail arrives first, because nothing was sent for these addresses.
    await linkTo((await invite('eva')).email);
    assert.equal(mails.mails.length, mailCount);
  });

  it('100211 and 100239: a code of the app confirms a destructive action; without an app it is refused', async () => {
    const { email, id, uri, cookie } = await joined('ana');
    const call = (path: string, body: object) => browse(grove, path, { body, cookie });
    await confirm(owner);
    assert.equal((await owner.call(`${OPERATORS}/${id}`, { body: { role: 'Administrator' } })).status, 200, email);
    grove.clock.advance(11 * MINUTE);
    const key = { name: 'of ana' };
    assert.equal((await call('/api/arthr/apiKeys', key)).body.code, 100211);
    assert.equal((await call('/api/console/confirmation/code', { code: '000000' })).body.code, 100350);
    const answer = await call('/api/console/confirmation/code', { code: codeFrom(uri) });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await call('/api/arthr/apiKeys', key)).status, 201);
    const without = await owner.call('/api/console/confirmation/code', { body: { code: '000000' } });
    assert.equal(without.body.code, 100239);
  });

  it('100216: five wrong codes for a confirmation lock the operator', async () => {
    const { cookie } = await joined('lea');
    const codes: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const body = { code: '000000' };
      codes.push((await browse(grove, '/api/console/confirmation/code', { body, cookie })).body.code);
    }
    assert.deepEqual(codes, [100350, 100350, 100350, 100350, 100216]);
  });

  it('100035: a code that is sent 20 times at once signs in once, and its repetitions do not count as failures', async () => {
    const { email } = await invite('twice');
    const { body } = await open(await linkTo(email));
    const code = codeFrom(body.enrolment.uri);
    const answers = await Promise.all(Array.from({ length: 20 }, () => complete(body.ceremonyId, code)));
    const codes = answers.map(({ status, body: answer }) => (status === 200 ? 200 : answer.code)).toSorted();
    assert.deepEqual(codes, [...Array.from({ length: 19 }, () => 100035), 200].toSorted());
  });

  it('100035: a code that arrives while the operator is suspended is refused, and neither request must be repeated', async () => {
    const { email, id } = await invite('meanwhile');
    const { body } = await open(await linkTo(email));
    const { answer } = await grove.app.db.of(asTenantId('acme')).write(async (tx) => {
      // A suspension that has not ended yet.
      await findOperatorForUpdate(tx, { id });
      const late = complete(body.ceremonyId, codeFrom(body.enrolment.uri));
      await Promise.race([late, wait(PATIENCE_MS)]);
      await removeCeremoniesOf(tx, { operatorId: id });
      return { answer: late };
    });
    assert.equal((await answer).body.code, 100035);
  });

  it('100350 and 100220: an operator with a passkey can set up an app and remove it; the last way to sign in stays', async () => {
    await confirm(owner);
    const started = await owner.call('/api/console/totp/start', { body: {} });
    assert.equal(started.status, 200, started.text);
    const { ceremonyId, uri } = started.body;
    const wrong = await owner.call('/api/console/totp/complete', { body: { ceremonyId, code: '000000' } });
    assert.equal(wrong.body.code, 100350);
    const right = await owner.call('/api/console/totp/complete', { body: { ceremonyId, code: codeFrom(uri) } });
    assert.equal(right.status, 200, right.text);
    grove.clock.advance(MINUTE);
    const { body } = await open(await linkTo('olga@acme.com'));
    assert.equal(body.enrolment, undefined, 'a link does not set up another app');
    assert.equal((await complete(body.ceremonyId, codeFrom(uri))).status, 200);
    await confirm(owner);
    assert.equal((await owner.call('/api/console/totp', { method: 'DELETE' })).status, 204);
    assert.equal((await owner.call('/api/console/totp', { method: 'DELETE' })).status, 204);
    const { cookie } = await joined('ida');
    const last = await browse(grove, '/api/console/totp', { method: 'DELETE', cookie });
    assert.equal(last.body.code, 100220);
  });

  it('100035: an app cannot be set up with the ceremony of another operator', async () => {
    const other = await invite('noa');
    const { body } = await open(await linkTo(other.email));
    await confirm(owner);
    const code = codeFrom(body.enrolment.uri);
    const answer = await owner.call('/api/console/totp/complete', { body: { ceremonyId: body.ceremonyId, code } });
    assert.equal(answer.body.code, 100035);
  });

  it('100035: the ceremony of an app does not sign in after the sessions ended, a reset or a suspension', async () => {
    await confirm(owner);
    const thief = await invitePerson(grove, owner, 'Reviewer', 'Rita');
    const startApp = async () => (await thief.call('/api/console/totp/start', { body: {} })).body;
    const newApp = await startApp();
    assert.equal((await owner.call(`${OPERATORS}/${thief.id}/sessions`, { method: 'DELETE' })).status, 204);
    assert.equal((await complete(newApp.ceremonyId, codeFrom(newApp.uri))).body.code, 100035);
    assert.equal((await owner.call(`${OPERATORS}/${thief.id}/reset`, { body: {} })).status, 200);
    assert.equal((await complete(newApp.ceremonyId, codeFrom(newApp.uri))).body.code, 100035);

    const { email, id } = await invite('ina');
    const before = (await open(await linkTo(email))).body;
    assert.equal((await owner.call(`${OPERATORS}/${id}/reset`, { body: {} })).status, 200);
    assert.equal((await complete(before.ceremonyId, codeFrom(before.enrolment.uri))).body.code, 100035);

    const app = await joined('wanda');
    const again = (await open(await linkTo(app.email))).body;
    for (const status of ['SUSPENDED', 'ACTIVE'])
      assert.equal((await owner.call(`${OPERATORS}/${app.id}`, { body: { status } })).status, 200);
    assert.equal((await complete(again.ceremonyId, codeFrom(app.uri))).body.code, 100035);
  });

  it('100035: a link opened before the operator joined with a passkey does not add an app to the account', async () => {
    await confirm(owner);
    const email = 'kay@acme.com';
    const { body: invited } = await owner.call(OPERATORS, { body: { name: 'Kay', email, role: 'Reviewer' } });
    const opened = (await open(await linkTo(email))).body;
    const kay = await joinByLink(grove, invited.url);
    assert.equal((await complete(opened.ceremonyId, codeFrom(opened.enrolment.uri))).body.code, 100035);
    assert.equal((await kay.call('/api/console/passkeys')).body.totp, false);
  });

  it('signing in by e-mail sends an operator at most four links an hour for requests of one network, and twelve in all, used or not', async () => {
    const { email } = await invite('tom');
    const sendsNone = async (network: string) => {
      assert.equal((await ask(email, network)).status, 200);
      await linkTo((await invite(`uma${mailCount}`)).email);
      assert.equal(mails.mails.length, mailCount);
    };
    for (let link = 0; link < LINKS_OF_NETWORK_AN_HOUR; link += 1) await linkTo(email, '203.0.113.7');
    await sendsNone('203.0.113.7');
    grove.clock.advance(11 * MINUTE);
    await sendsNone('203.0.113.7');
    for (let link = LINKS_OF_NETWORK_AN_HOUR; link < LINKS_AN_HOUR; link += 1) await linkTo(email, `203.0.114.${link}`);
    await sendsNone('203.0.115.1');
    grove.clock.advance(HOUR);
    await linkTo(email, '203.0.113.7');
  });
});

onBothEngines('an installation without e-mail', (_engine, places) => {
  it('100160: without a mail server, signing in by e-mail is not offered and no link is sent', async () => {
    const grove = await openTestApp(await places.create());
    const { body } = await browse(grove, '/api/console/signIn');
    assert.deepEqual(body, { singleSignOn: false, emailLink: false });
    assert.equal((await browse(grove, `${EMAIL}/start`, { body: { email: 'a@b.co' } })).body.code, 100160);
    await grove.stop();
  });
});
