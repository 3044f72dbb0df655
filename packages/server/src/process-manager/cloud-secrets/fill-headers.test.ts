import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TenantReads } from '../../db/db.ts';
import { fillHeaders } from './fill-headers.ts';
import { secretOf } from './secret.ts';

describe('headers that name cloud secrets', () => {
  const fill = (headers: Record<string, string>, value: string) =>
    fillHeaders({} as TenantReads, headers, async () => ({ secret: secretOf(value) }));

  it('headers that name cloud secrets have every placeholder filled, and their names in lower case', async () => {
    assert.deepEqual(await fill({ 'X-Two': '{secret.a} and $& {secret.a}', plain: 'as it is' }, '$1'), {
      headers: { 'x-two': '$1 and $& $1', plain: 'as it is' },
    });
  });

  it('headers that name cloud secrets are refused with bad_header if one, or all together, are longer than servers accept', async () => {
    const long = 'x'.repeat(10_000);
    assert.deepEqual(await fill({ one: '{secret.a}'.repeat(7) }, long), { fault: 'bad_header' });
    const headers = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`h${at}`, '{secret.a}']));
    assert.deepEqual(await fill(headers, long), { fault: 'bad_header' });
    const { h6: _last, ...six } = headers;
    assert.equal((await fill(six, long)).fault, undefined);
  });
});
