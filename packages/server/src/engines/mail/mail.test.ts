import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MailServer, openMailServer } from '../../../test/mail-server.ts';
import { SELF_SIGNED } from '../../../test/self-signed.ts';
import { openReceiver, status } from '../../../test/webhooks.ts';
import { readConfig } from '../../config.ts';
import { parseAllowList } from '../outbound/allow-list.ts';
import { openOutbound } from '../outbound/outbound.ts';
import { type MailDoor, openMail } from './mail.ts';

const MAIL = {
  id: '01JZ4M8Q2V7R9T3W5X6Y8Z0ABC',
  to: 'ada@example.com',
  subject: 'Zahl für Ädä',
  language: 'de',
  text: 'Grüße\n\nhttps://acme.fir.localhost/?a=1&b=2',
  html: '<p>Grüße</p>',
};

const doorOf = (environment: Record<string, string>): MailDoor => {
  const config = readConfig({ MAIL_FROM: 'Grove <no-reply@example.org>', ...environment });
  const allow = parseAllowList(config.outboundAllow);
  assert.ok(allow);
  return openMail({ smtp: config.smtp, sms: config.sms, outbound: openOutbound({ allow }) });
};

describe('mail', () => {
  let server: MailServer;
  before(async () => {
    server = await openMailServer();
  });
  after(() => server.close());

  it('e-mail arrives at a real server, as text and HTML, from the right sender and to one address', async () => {
    const door = doorOf({ SMTP_URL: server.url });
    assert.deepEqual(door.channels, ['EMAIL']);
    assert.equal(await door.fault(), undefined);
    assert.deepEqual(await door.sendMail(MAIL), { kind: 'SENT' });
    const mail = await server.arrived(1);
    assert.deepEqual([mail.from, mail.to], ['no-reply@example.org', ['ada@example.com']]);
    assert.deepEqual(
      ['subject', 'message-id', 'content-language', 'auto-submitted'].map((name) => mail.headers.get(name)),
      ['Zahl für Ädä', '<01JZ4M8Q2V7R9T3W5X6Y8Z0ABC@example.org>', 'de', 'auto-generated'],
    );
    assert.equal(mail.text.trim().replaceAll('\r\n', '\n'), MAIL.text);
    assert.equal(mail.html.trim(), MAIL.html);
  });

  it('the text of an e-mail cannot add a recipient or a header', async () => {
    const door = doorOf({ SMTP_URL: server.url });
    const { length } = server.mails;
    await door.sendMail({ ...MAIL, subject: 'One\r\nBcc: eve@example.com\r\n\r\nTwo', to: 'ada@example.com' });
    const mail = await server.arrived(length + 1);
    assert.deepEqual(mail.to, ['ada@example.com']);
    assert.equal(mail.headers.has('bcc'), false);
    await door.sendMail({ ...MAIL, to: 'ada@example.com, eve@example.com' });
    await door.sendMail({ ...MAIL, to: 'ada@example.com>\r\nRCPT TO:<eve@example.com' });
    assert.ok(!server.mails.flatMap(({ to }) => to).includes('eve@example.com'));
  });

  it('an e-mail that the server refuses for now is tried later; one to an address that it always refuses is not', async () => {
    const door = doorOf({ SMTP_URL: server.url });
    server.answers.push(450, 550);
    const outcomes = [await door.sendMail(MAIL), await door.sendMail(MAIL)];
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['LATER', 'REFUSED'],
    );
    assert.ok(!JSON.stringify(outcomes).includes('ada@'), 'a reason says nothing of a person');
  });

  it('e-mail is not sent if the password is wrong, nobody listens, or the connection cannot be encrypted', async () => {
    const wrong = doorOf({ SMTP_URL: `smtp://grove:wrong@127.0.0.1:${server.port}` });
    assert.equal(await wrong.fault(), 'the mail server does not accept the user and password');
    assert.equal((await wrong.sendMail(MAIL)).kind, 'LATER');
    const nobody = doorOf({ SMTP_URL: 'smtp://127.0.0.1:1' });
    assert.equal(await nobody.fault(), 'the mail server cannot be reached');
    const secure = await openMailServer({ secure: true, ...SELF_SIGNED });
    try {
      const stranger = doorOf({ SMTP_URL: `smtps://127.0.0.1:${secure.port}` });
      assert.equal(await stranger.fault(), 'the connection to the mail server cannot be encrypted');
      assert.equal((await stranger.sendMail(MAIL)).kind, 'LATER');
      assert.equal(secure.mails.length, 0);
    } finally {
      await secure.close();
    }
  });
});

describe('a text message', () => {
  it('a text message is posted to the gateway with its token, and the status of the answer decides its result', async () => {
    const codes = [202, 422, 503, 401];
    const receiver = await openReceiver((request, answer, number) =>
      status(codes[number - 1] ?? 500)(request, answer, number),
    );
    try {
      const { host } = new URL(receiver.uri);
      const door = doorOf({ SMS_URL: receiver.uri, SMS_TOKEN: 'secret', GROVE_OUTBOUND_ALLOW: host });
      assert.deepEqual(door.channels, ['SMS']);
      const message = { id: MAIL.id, to: '+4915123456789', text: 'Grüße' };
      const kinds: string[] = [];
      for (const _ of codes) kinds.push((await door.sendText(message)).kind);
      assert.deepEqual(kinds, ['SENT', 'REFUSED', 'LATER', 'LATER']);
      const [first] = receiver.received;
      assert.deepEqual(JSON.parse(first?.body ?? ''), { to: '+4915123456789', text: 'Grüße' });
      assert.deepEqual([first?.headers.authorization, first?.headers['idempotency-key']], ['Bearer secret', MAIL.id]);
    } finally {
      await receiver.close();
    }
  });

  it('mail and text messages are not offered if nothing is configured', async () => {
    const door = doorOf({ MAIL_FROM: '' });
    assert.deepEqual(door.channels, []);
    assert.deepEqual([(await door.sendMail(MAIL)).kind, await door.fault()], ['REFUSED', undefined]);
  });
});
