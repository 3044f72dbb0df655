import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRecipient, shorten } from './check-recipient.ts';

describe('the address of a recipient', () => {
  it('the address of a recipient is accepted as people write it, and stored as a mail server expects it', () => {
    for (const [channel, text, address] of [
      ['EMAIL', ' Ada.Byrne+id@Example.com ', 'Ada.Byrne+id@example.com'],
      ['EMAIL', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ['EMAIL', "o'neil@a-b.example.co.uk", "o'neil@a-b.example.co.uk"],
      ['SMS', '+49 (151) 234-567.89', '+4915123456789'],
      ['SMS', '0044 20 7946 0000', '+442079460000'],
    ] as const) {
      assert.deepEqual(checkRecipient(channel, text), { address }, text);
    }
  });

  it('the address of a recipient is refused if it is two addresses, contains a header, or names a machine by its IP address', () => {
    for (const text of [
      '',
      '@',
      'ada',
      'ada@',
      '@example.com',
      'ada@localhost',
      'ada@127.0.0.1',
      'ada@[127.0.0.1]',
      'ada@example.1',
      'a@example.com,b@example.com',
      'a@example.com b@example.com',
      'Ada <ada@example.com>',
      '"a b"@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'a\n@example.com',
      'a\u0000@example.com',
      'a..b@example.com',
      '.a@example.com',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b'.repeat(64)}.com`,
      'ädá@example.com',
      'a@b@example.com',
      'a@example.com;',
      'a@-example.com',
      `a@${'b.'.repeat(130)}com`,
    ]) {
      assert.ok('fault' in checkRecipient('EMAIL', text), JSON.stringify(text));
    }
    for (const text of ['', '0151 234567', '+0151234567', '+49', '+4915123456789012', '+49151x34567', '+٤٩١٥١٢٣٤٥٦']) {
      assert.ok('fault' in checkRecipient('SMS', text), JSON.stringify(text));
    }
  });

  it('the address of a recipient is masked so that only its owner recognises it', () => {
    assert.equal(shorten('EMAIL', 'ada.byrne@example.com'), 'a…@example.com');
    assert.equal(shorten('SMS', '+4915123456789'), '+49…89');
  });
});
