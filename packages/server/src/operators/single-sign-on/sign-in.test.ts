import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lastAsked } from './sign-in.ts';

it('a sign-in is recent if the provider says so, or says nothing and was told to ask the person', () => {
  const now = 1_800_000_000_000;
  const seconds = now / 1000;
  const at = (authTime: unknown, isAgain: boolean) => lastAsked(authTime, { isAgain, now });
  for (const isAgain of [false, true]) {
    assert.equal(at(seconds - 60, isAgain), now - 60_000);
    assert.equal(at(seconds + 60, isAgain), now, 'a clock that is ahead makes nobody fresh for longer');
    assert.equal(at(-1, isAgain), 0);
  }
  for (const missing of [undefined, null, String(seconds), Number.NaN]) {
    assert.equal(at(missing, false), 0, 'the provider may have asked nobody');
    assert.equal(at(missing, true), now);
  }
});
