import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusesWith } from '../../../test/authenticator/expected.ts';
import { type Completion, readCompletion } from './read-completion.ts';

const read = (body: unknown) => () => readCompletion(body as Completion);

describe('the response of a passkey client', () => {
  it('the response of a passkey client is a credential', () => {
    const credential = { id: 'AAAA', type: 'public-key', response: {} } as const;
    assert.equal(readCompletion({ credential }), credential);
  });

  it('the response of a passkey client is refused with 100090 if its credential is malformed, or comes with an error', () => {
    for (const credential of [true, 'text', {}, { response: null }, { response: 'text' }, []]) {
      refusesWith(read({ credential }), 100090, false);
    }
    refusesWith(read({ credential: { response: {} }, error: { name: 'AbortError' } }), 100090, false);
  });

  it('the response of a passkey client is refused with 395 if it is empty, and with 388 if it contains session data', () => {
    for (const body of [{}, { credential: null }, { credential: undefined, error: undefined }]) {
      refusesWith(read(body), 395, false);
    }
    refusesWith(read({ sessionData: {}, credential: { response: {} } }), 388, false);
  });

  it('the response of a passkey client is refused with 398, 403 or 397, depending on the name of its error', () => {
    for (const name of ['NotAllowedError', 'AbortError']) refusesWith(read({ error: { name } }), 398, false);
    refusesWith(read({ error: { name: 'TimeoutError' } }), 403, false);
    for (const name of ['SecurityError', 'InvalidStateError', 'toString', 7]) {
      refusesWith(read({ error: { name } }), 397, false);
    }
  });
});
