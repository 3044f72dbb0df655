import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { createFrameKey } from './frame-key.ts';

const FRAME = Buffer.from('a frame');

test('a frame is signed together with its challenge and its token, in the form that the protocol names', async () => {
  const { publicKey, sign } = await createFrameKey();
  const signature = await sign('C1', 'T1', new Blob([FRAME]));
  assert.match(signature, /^[A-Za-z0-9_-]{86}$/);
  const hash = createHash('sha256').update(FRAME).digest('hex');
  const fits = (text: string) =>
    verify(
      'sha256',
      Buffer.from(text),
      { key: createPublicKey({ key: publicKey, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
  assert.ok(fits(`C1.T1.${hash}`));
  for (const other of [`C2.T1.${hash}`, `C1.T2.${hash}`, `C1.T1.${hash.replace(/^./, 'x')}`]) assert.ok(!fits(other));
});

test('every challenge has a key of its own', async () => {
  const [one, other] = [await createFrameKey(), await createFrameKey()];
  assert.notEqual(one.publicKey.x, other.publicKey.x);
});
