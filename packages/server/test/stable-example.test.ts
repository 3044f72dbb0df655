import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBetter } from './record-examples.ts';
import { stabilise } from './stable-example.ts';

test('an example has the same ids, secrets, times and addresses in every run, and equal ones stay equal', () => {
  const exchange = (at: number, id: string, secret: string, port: number) => ({
    body: { keyId: id, notes: ['document-and-selfie', '1990-05-04'] },
    ok: {
      id,
      code: `grv_test_${id}_${secret}`,
      createdDtm: new Date(at).toISOString(),
      expiringDtm: new Date(at + 60_000).toISOString(),
      url: `http://acme.fir.localhost:${port}/web/?pi=${id}#c=acme.${secret}`,
    },
  });
  const one = stabilise(exchange(1_790_000_000_123, '01M7JW2GYRJCT6ZK3M501KN7P8', '9RUegS7nsu1M_QW7Ue3dLA', 34191));
  assert.deepEqual(one, {
    body: { keyId: '01JZ4M8Q2V7R9T3W5X6Y8Z0A00', notes: ['document-and-selfie', '1990-05-04'] },
    ok: {
      id: '01JZ4M8Q2V7R9T3W5X6Y8Z0A00',
      code: 'grv_test_01JZ4M8Q2V7R9T3W5X6Y8Z0A00_0XAmpL0exa0P_EE0Am0lEE',
      createdDtm: '2026-07-01T09:30:00.000Z',
      expiringDtm: '2026-07-01T09:31:00.000Z',
      url: 'https://acme.fir.example.com/web/?pi=01JZ4M8Q2V7R9T3W5X6Y8Z0A00#c=acme.0XAmpL0exa0P_EE0Am0lEE',
    },
  });
  const other = exchange(1_791_234_567_890, '01M7JW2NS9ZMAJ81DWAVAHGK6H', '9RUegS7nsu1M_QW7Ue3dLA', 35865);
  assert.deepEqual(stabilise(other), one);
});

test('the better of two examples has more members, and with equal members is shorter', () => {
  assert.ok(isBetter({ ok: { a: 1, b: 2 } }, { ok: { a: 1 } }));
  assert.ok(isBetter({ ok: { a: 1 } }, { ok: { a: 1111 } }));
  assert.ok(isBetter({ ok: { a: 1 } }, { ok: { a: 'x'.repeat(5000), b: 1 } }), 'nobody reads a long one');
  assert.ok(isBetter({ ok: {} }, { ok: { origin: 'https://evil.example' } }));
});
