import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { TOTP, URI } from 'otpauth';
import { codeOf, isWellFormed, matchCode, normalCode, stepOf, type Totp } from './match-code.ts';
import { showSecret } from './show-secret.ts';

const DIGITS = '1234567890';
const seed = (bytes: number) => Buffer.from(DIGITS.repeat(7).slice(0, bytes));
const newTotp = (more: Partial<Totp> = {}): Totp => ({
  algorithm: 'SHA1',
  digits: 6,
  period: 30,
  secret: randomBytes(20),
  ...more,
});

describe('a time-based one-time password', () => {
  it('a time-based one-time password is that of appendix B of RFC 6238', () => {
    const vectors = [
      [59, '94287082', '46119246', '90693936'],
      [1111111109, '07081804', '68084774', '25091201'],
      [1111111111, '14050471', '67062674', '99943326'],
      [1234567890, '89005924', '91819424', '93441116'],
      [2000000000, '69279037', '90698825', '38618901'],
      [20000000000, '65353130', '77737706', '47863826'],
    ] as const;
    for (const [seconds, ...codes] of vectors) {
      for (const [at, [algorithm, bytes]] of (
        [
          ['SHA1', 20],
          ['SHA256', 32],
          ['SHA512', 64],
        ] as const
      ).entries()) {
        const totp = newTotp({ algorithm, digits: 8, secret: seed(bytes) });
        assert.equal(codeOf(totp, stepOf(totp, seconds * 1000)), codes[at]);
      }
    }
  });

  it('a time-based one-time password equals the one computed with the HMAC of Node, for secrets shorter and longer than a block of the hash', () => {
    for (const algorithm of ['SHA1', 'SHA256', 'SHA512'] as const) {
      for (const bytes of [1, 20, 63, 64, 65, 127, 128, 129, 300]) {
        const totp = newTotp({ algorithm, digits: 9, secret: randomBytes(bytes) });
        const step = randomInt(2 ** 40);
        const counter = Buffer.alloc(8);
        counter.writeBigUInt64BE(BigInt(step));
        const mac = createHmac(algorithm, totp.secret).update(counter).digest();
        const number = mac.readUInt32BE((mac.at(-1) as number) & 15) & 0x7fffffff;
        assert.equal(codeOf(totp, step), String(number % 10 ** 9).padStart(9, '0'), `${algorithm}, ${bytes} bytes`);
      }
    }
  });

  it('a time-based one-time password equals that of an authenticator app that reads the address', () => {
    for (const algorithm of ['SHA1', 'SHA256', 'SHA512'] as const) {
      const totp = newTotp({ algorithm, digits: 7, period: 45 });
      const { uri, secret, qrCode } = showSecret(totp, { issuer: 'Ämt & Söhne', label: 'ann@example.com' });
      const app = URI.parse(uri) as TOTP;
      assert.ok(app instanceof TOTP);
      assert.deepEqual([app.issuer, app.label, app.secret.base32], ['Ämt & Söhne', 'ann@example.com', secret]);
      for (let now = 1.7e12; now < 1.7e12 + 1e6; now += 45_000) {
        assert.equal(codeOf(totp, stepOf(totp, now)), app.generate({ timestamp: now }));
      }
      assert.match(Buffer.from(qrCode.split(',')[1] ?? '', 'base64').toString(), /^<svg /);
    }
  });

  const oathtool = spawnSync('oathtool', ['--version']).status === 0;
  it('a time-based one-time password equals that of oathtool', {
    skip: !oathtool && 'oathtool is not installed',
  }, () => {
    const totp = newTotp();
    const { secret } = showSecret(totp, { issuer: 'a', label: 'b' });
    for (const now of [1.7e12, 1.8e12, 1.9e12]) {
      const parameters = ['--totp', '-b', secret, '-N', `@${now / 1000}`];
      const { stdout } = spawnSync('oathtool', parameters, { encoding: 'utf8' });
      assert.equal(stdout.trim(), codeOf(totp, stepOf(totp, now)));
    }
  });

  it('a time-based one-time password is valid in the window around its step, and not outside of it', () => {
    const totp = newTotp();
    const now = 1.7e12;
    const step = stepOf(totp, now);
    for (const window of [0, 1, 5]) {
      for (let away = -7; away <= 7; away++) {
        const match = matchCode(totp, { code: codeOf(totp, step + away), window, lastStep: -1, now });
        assert.equal(match?.step, Math.abs(away) <= window ? step + away : undefined, `${window} ${away}`);
      }
    }
  });

  it('a time-based one-time password is invalid once its step or a later one was accepted', () => {
    const totp = newTotp();
    const now = 1.7e12;
    const step = stepOf(totp, now);
    const at = (away: number, lastStep: number) =>
      matchCode(totp, { code: codeOf(totp, step + away), window: 1, lastStep, now })?.used;
    assert.deepEqual([at(0, step), at(-1, step), at(1, step), at(0, step - 1)], [true, true, false, false]);
  });

  it('a time-based one-time password counts for another step if two steps share it and one of them was used', () => {
    // Codes of six digits are sometimes equal: the test searches for the first two neighbours with the same code.
    const totp = newTotp({ secret: seed(20) });
    const window = 300;
    let step = 1e6;
    const stepsByCode = new Map<string, number>();
    let earlier: number | undefined;
    for (; earlier === undefined; step++) {
      const code = codeOf(totp, step);
      const before = stepsByCode.get(code);
      if (before !== undefined && step - before <= 2 * window) earlier = before;
      stepsByCode.set(code, step);
    }
    const later = step - 1;
    const now = Math.floor((earlier + later) / 2) * totp.period * 1000;
    const code = codeOf(totp, later);
    assert.deepEqual(matchCode(totp, { code, window, lastStep: earlier, now }), { step: later, used: false });
    assert.equal(matchCode(totp, { code, window, lastStep: later, now })?.used, true);
  });

  it('a time-based one-time password may be typed in groups, and consists only of its number of digits', () => {
    assert.equal(normalCode(' 123 456 '), '123456');
    const { digits } = newTotp();
    for (const [code, good] of [
      ['123456', true],
      ['12345', false],
      ['1234567', false],
      ['12345a', false],
      ['１２３４５６', false],
      ['', false],
    ] as const) {
      assert.equal(isWellFormed(code, { digits }), good, code);
    }
  });
});
