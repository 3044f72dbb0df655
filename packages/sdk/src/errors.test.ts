import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { GroveConnectionError, GroveError, isGroveError } from './errors.ts';

const refusal = { operation: 'passkeys.authenticate', status: 400, code: 372, message: 'Possible clone' };

test('a refusal carries the user, which is not printed: logs hold no personal data', () => {
  const error = new GroveError({ ...refusal, user: { id: 'u1', attributes: { email: 'ann@example.com' } } });
  assert.equal(error.user?.id, 'u1');
  assert(!inspect(error).includes('ann@example.com'));
  assert(!JSON.stringify(error).includes('ann@example.com'));
  assert(inspect(error).includes('372'));
});

test('isGroveError knows its own, with a code and without', () => {
  assert(isGroveError(new GroveError(refusal)));
  assert(isGroveError(new GroveError(refusal), 372));
  assert(!isGroveError(new GroveError(refusal), 130));
  assert(!isGroveError(new GroveConnectionError({ operation: 'a.b', fault: 'lost', reason: 'ECONNRESET' })));
  assert(!isGroveError({ name: 'GroveError', code: 372 }, 372));
});
