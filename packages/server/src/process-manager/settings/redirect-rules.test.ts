import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_REDIRECT_LENGTH, normaliseOrigin, redirectFault } from './redirect-rules.ts';

const origins = [
  'https://good.example',
  'https://good.example:8443',
  'http://localhost:3000',
  'http://127.0.0.1',
  'myapp:',
];
const rule = { origins, maxLength: MAX_REDIRECT_LENGTH };
const faultOf = (text: string) => redirectFault(text, rule);

describe('addresses for redirects of end users', () => {
  for (const text of [
    'https://good.example',
    'https://good.example/',
    'https://good.example/back?id={PROCESS_INSTANCE_ID}&v={PROCESS_DNF_VERSION}#{PROCESS_DNF_NAME}',
    'https://good.example/{PROCESS_INSTANCE_ID}/done',
    'https://good.example?x=1',
    'https://good.example#x',
    'https://good.example:443/x',
    'HTTPS://GOOD.EXAMPLE/Case',
    'https://good.example:8443/x',
    'https://good.example/next?to=https://evil.example',
    'https://good.example/..;/x@evil.example',
    'https://good.example/ünï%20cøde',
    'http://localhost:3000/back',
    'http://127.0.0.1/back',
    'myapp://callback?id={PROCESS_INSTANCE_ID}',
    'myapp:callback',
  ]) {
    it(`a redirect of end users is allowed to ${text}`, () => assert.equal(faultOf(text), undefined));
  }

  for (const text of [
    // Hosts of others that look like that of the tenant.
    'https://evil.example',
    'https://good.example@evil.example',
    'https://good.example:443@evil.example',
    'https://good.example:x@evil.example/',
    'https://user@good.example/',
    'https://user:secret@good.example/',
    'https://@good.example/',
    'https://a@b@good.example/',
    'https://evil.example@good.example@evil.example',
    'https://good.example.evil.example',
    'https://good.example%2eevil.example',
    'https://good.example%2fx@evil.example',
    'https://good.example%00.evil.example',
    'https://good.example%252eevil.example',
    'https://evil.example/https://good.example',
    'https://evil.example?https://good.example',
    'https://evil.example#https://good.example',
    'https://evil.example\\@good.example',
    'https://sub.good.example',
    'https://goodxexample',
    'https://good.example.',
    'https://good.example..;/evil',
    'https://good.example;evil.example',
    'https://{PROCESS_INSTANCE_ID}.good.example',
    'https://good.example{PROCESS_INSTANCE_ID}',
    'https://good.example:8444/',
    'https://good.example:80/',
    'https://good.example:{PROCESS_INSTANCE_ID}/',
    // Addresses that become valid only if a parser corrects them.
    'https:good.example',
    'https:/good.example',
    'https:///good.example',
    'https:/\\evil.example',
    'https:\\\\good.example',
    '/\\evil.example',
    '//evil.example',
    '//good.example',
    '/back',
    'good.example',
    '',
    'https://',
    ' https://good.example',
    'https://good.example ',
    'https://good.example/a b',
    'https://good.example/\tx',
    'https://good\t.example/',
    'https://good.exa\nmple/',
    'ht\ntps://good.example/',
    'https://good.example/\r\nSet-Cookie: a=b',
    '\u0000https://good.example/',
    'https://good.example/\u0000',
    'https://good.example/\u007f',
    'https://good\u00ad.example/',
    'https://good\u200b.example/',
    'https://good.example/\u202egnp.exe',
    'https://good.example/\u2028x',
    'https://good。example/',
    'https://good．example/',
    'https://ｇｏｏｄ.example/',
    'https://good.exаmple/',
    // Not https, or an IP address.
    'http://good.example/',
    'http://localhost/',
    'http://localhost:3001/',
    'https://localhost:3000/',
    'http://localhost.evil.example:3000/',
    'http://127.0.0.1:8080/',
    'https://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://[::1]:3000/',
    'https://[::ffff:127.0.0.1]/',
    'https://[2001:db8::1]/',
    'https://1.1.1.1/',
    // Not an address.
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'javascript://good.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://good.example/0f0f',
    'about:blank',
    'view-source:https://good.example/',
    'intent://good.example#Intent;scheme=https;end',
    'otherapp://callback',
    'myapp2://callback',
    'my\tapp://callback',
    'wss://good.example/',
    'ftp://good.example/',
  ]) {
    it(`a redirect of end users is refused to ${JSON.stringify(text)}`, () =>
      assert.equal(typeof faultOf(text), 'string'));
  }

  it('a redirect of end users is refused to an address that is too long', () => {
    const text = `https://good.example/${'x'.repeat(MAX_REDIRECT_LENGTH)}`;
    assert.match(faultOf(text) ?? '', /at most 1000 characters/);
    assert.equal(faultOf(text.slice(0, MAX_REDIRECT_LENGTH)), undefined);
  });

  it('a redirect of end users is allowed to the server itself only if the rules say so', () => {
    const ownOrigin = 'http://acme.fir.localhost:8080';
    assert.equal(redirectFault(`${ownOrigin}/web/`, { ...rule, ownOrigin }), undefined);
    assert.equal(typeof faultOf(`${ownOrigin}/web/`), 'string');
    assert.equal(typeof redirectFault('http://other.fir.localhost:8080/web/', { ...rule, ownOrigin }), 'string');
  });

  it('a redirect of end users is refused to every address if the list is empty', () => {
    for (const text of ['https://good.example', 'myapp:x', 'null', 'https://null']) {
      assert.equal(typeof redirectFault(text, { origins: [], maxLength: 1000 }), 'string');
    }
  });
});

describe('the list of redirect origins of a tenant', () => {
  for (const [text, origin] of [
    ['https://WWW.Example.com', 'https://www.example.com'],
    ['https://www.example.com/', 'https://www.example.com'],
    ['https://www.example.com:443', 'https://www.example.com'],
    ['https://www.example.com:8443/', 'https://www.example.com:8443'],
    [' https://www.example.com ', 'https://www.example.com'],
    ['https://intranet', 'https://intranet'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
    ['http://localhost', 'http://localhost'],
    ['http://localhost:80', 'http://localhost'],
    ['http://LOCALHOST:3000/', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['MyApp:', 'myapp:'],
    ['com.example.app:', 'com.example.app:'],
  ] as const) {
    it(`the list of redirect origins of a tenant stores ${JSON.stringify(text)} as ${origin}`, () =>
      assert.equal(normaliseOrigin(text).origin, origin));
  }

  for (const text of [
    '',
    '*',
    'https://*',
    'https://*.example.com',
    'https://example.com/path',
    'https://example.com/?x',
    'https://example.com#x',
    'https://user@example.com',
    'https://@example.com',
    'https://example.com.',
    'https://bücher.example',
    'https://1.1.1.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    'http://[::1]:3000',
    'http://example.com',
    'http://localhost.example.com',
    'http://0.0.0.0',
    'https:example.com',
    'https:/example.com',
    'https://example.com\\',
    'https://exa mple.com',
    '//example.com',
    'example.com',
    'https:',
    'http:',
    'javascript:',
    'data:',
    'file:',
    'blob:',
    'about:',
    'vbscript:',
    'myapp://',
    'my app:',
    'null',
  ]) {
    it(`the list of redirect origins of a tenant refuses ${JSON.stringify(text)}`, () =>
      assert.equal(typeof normaliseOrigin(text).fault, 'string'));
  }
});
