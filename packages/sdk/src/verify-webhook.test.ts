import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

const secret = `whsec_${btoa('a secret of thirty-two characters')}`;
const other = `whsec_${btoa('another one of thirty-two letters')}`;
const event = { id: '01JZ', type: 'instance.completed', timestamp: '2026-01-01T00:00:00.000Z', data: { name: 'Zoë' } };
const payload = JSON.stringify(event);

const headersOf = (at = Date.now(), body = payload, by = secret) => ({
  'webhook-id': event.id,
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': new Webhook(by).sign(event.id, new Date(at), body),
});

test('a webhook that was signed by the standard is genuine, as text, bytes and with every kind of headers', async () => {
  const headers = headersOf();
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const given of [headers, new Headers(headers), upper]) {
    assert.deepEqual(await verifyWebhook({ payload, headers: given, secret }), event);
  }
  const bytes = new TextEncoder().encode(payload);
  assert.deepEqual(await verifyWebhook({ payload: bytes, headers, secret: secret.slice('whsec_'.length) }), event);
  assert.equal(await verifyWebhook({ payload: '', headers: headersOf(Date.now(), ''), secret }), undefined);
});

test('either secret will do while one is rotated', async () => {
  const both = {
    ...headersOf(),
    'webhook-signature': `v1a,x v1,!!! ${headersOf(Date.now(), payload, other)['webhook-signature']} ${headersOf()['webhook-signature']}`,
  };
  for (const each of [secret, other])
    assert.deepEqual(await verifyWebhook({ payload, headers: both, secret: each }), event);
});

test('a webhook is refused if anything of it was changed, is missing or is too old', async () => {
  const good = headersOf();
  const now = Date.now();
  for (const [what, input] of Object.entries({
    body: { payload: `${payload} `, headers: good, secret },
    secret: { payload, headers: good, secret: other },
    id: { payload, headers: { ...good, 'webhook-id': '01JX' }, secret },
    time: { payload, headers: { ...good, 'webhook-timestamp': String(Math.floor(now / 1000) + 5) }, secret },
    old: { payload, headers: headersOf(now - 301_000), secret },
    future: { payload, headers: headersOf(now + 302_000), secret },
    tolerance: { payload, headers: headersOf(now - 20_000), secret, toleranceSeconds: 10 },
    nonsense: { payload, headers: { ...good, 'webhook-timestamp': 'now' }, secret },
    nothing: { payload, headers: {}, secret },
    unsigned: { payload, headers: { ...good, 'webhook-signature': 'v1,' }, secret },
    version: {
      payload,
      headers: { ...good, 'webhook-signature': good['webhook-signature'].replace('v1', 'v2') },
      secret,
    },
  })) {
    await assert.rejects(verifyWebhook(input), WebhookVerificationError, what);
  }
});

test('a webhook with thousands of signatures takes hardly longer than one, whatever its length', async () => {
  const body = 'x'.repeat(2 ** 20);
  const headers = headersOf(Date.now(), body);
  const cpuMsOf = async (signature: string) => {
    const before = process.cpuUsage();
    const webhook = { payload: body, headers: { ...headers, 'webhook-signature': signature }, secret };
    await assert.rejects(verifyWebhook(webhook), WebhookVerificationError);
    return process.cpuUsage(before).user / 1000;
  };
  const wrong = `v1,${btoa('x'.repeat(32))}`;
  await cpuMsOf(wrong);
  // Each would take about a millisecond if the body were hashed for each of them.
  assert.ok((await cpuMsOf(`${wrong} `.repeat(2000))) < 20 * (await cpuMsOf(wrong)) + 200);
});
