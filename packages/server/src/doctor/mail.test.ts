import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMailServer } from '../../test/mail-server.ts';
import { readConfig } from '../config.ts';
import { checkMail } from './mail.ts';

describe('doctor about e-mail', () => {
  it('doctor says whether the mail server accepts messages, without its password, and says nothing if none is configured', async () => {
    const server = await openMailServer();
    const check = (SMTP_URL: string) =>
      checkMail(readConfig(SMTP_URL ? { SMTP_URL, MAIL_FROM: 'no-reply@example.org' } : {}));
    try {
      assert.deepEqual(await check(''), []);
      const [good] = await check(server.url);
      assert.deepEqual([good?.state, good?.name], ['ok', 'mail']);
      const [bad] = await check(`smtp://grove:hunter2@127.0.0.1:${server.port}`);
      assert.equal(bad?.state, 'fault');
      assert.match(bad?.message ?? '', /does not accept the user and password/);
      assert.ok(!JSON.stringify([good, bad]).includes('hunter2'));
    } finally {
      await server.close();
    }
  });
});
