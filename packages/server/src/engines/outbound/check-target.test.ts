import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AllowList, isListed, isPublic, parseAllowList } from './allow-list.ts';
import { checkTarget, mayDial } from './check-target.ts';

const listOf = (...entries: string[]): AllowList => {
  const list = parseAllowList(entries);
  assert.ok(list);
  return list;
};
const NOTHING = listOf();
const faultOf = (uri: string, allow = NOTHING): string | undefined => {
  const target = checkTarget(uri, allow);
  return 'fault' in target ? target.fault : undefined;
};

describe('a target', () => {
  it('a target may be any https address on the public internet', () => {
    for (const uri of [
      'https://hooks.example.com/grove?x=1',
      'https://hooks.example.com:8443/',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]/',
      'https://xn--bcher-kva.example/',
    ]) {
      assert.equal(faultOf(uri), undefined, uri);
    }
  });

  it('a target in an internal network is refused, however its address is written', () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '017700000001',
      '0177.0.0.1',
      '１２７.0.0.1',
      '0.0.0.0',
      '0',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      '198.18.0.1',
      '240.0.0.1',
      '[::]',
      '[::1]',
      '[::127.0.0.1]',
      '[::7f00:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:8.8.8.8]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::1]',
      '[2002:7f00:1::]',
      '[2001::1]',
      '[fec0::1]',
      '[fe80::1]',
      '[fc00::1]',
      '[ff02::1]',
      '[2001:db8::1]',
      'localhost',
      'localhost.',
      'LOCALHOST',
      'api.localhost',
      '127.0.0.1.',
      // The metadata addresses of clouds: Azure, Alibaba, Oracle, AWS.
      '168.63.129.16',
      '0xa83f8110',
      '100.100.100.200',
      '192.0.0.192',
      '[fd00:ec2::254]',
    ]) {
      assert.equal(faultOf(`https://${host}/`), 'must not lead to an internal address', host);
    }
  });

  it('a target is refused with a user name, a fragment, another scheme, or characters that a parser would drop', () => {
    for (const [uri, fault] of [
      ['https://user@example.com/', /user name/],
      ['https://:secret@example.com/', /user name/],
      ['https://example.com@127.0.0.1/', /user name/],
      ['https://example.com/#there', /fragment/],
      ['http://example.com/', /https/],
      ['ftp://example.com/', /https/],
      ['file:///etc/passwd', /https/],
      ['//example.com/', /https/],
      ['example.com', /https/],
      ['https://exa\tmple.com/', /https/],
      ['https://example.com\\@127.0.0.1/', /https/],
      ['https://example.com/\u0000', /https/],
      ['https://', /https/],
    ] as const) {
      assert.match(faultOf(uri) ?? '', fault, uri);
    }
  });

  it('a target is refused on a port below 1024 other than 443, and on ports of databases and queues', () => {
    for (const port of [1, 22, 25, 80, 444, 1023]) {
      assert.match(faultOf(`https://example.com:${port}/`) ?? '', /port 443 or one from 1024/, String(port));
    }
    for (const port of [0, 2375, 5432, 6379, 9200, 11211, 27017]) {
      assert.equal(faultOf(`https://example.com:${port}/`), `must not name port ${port}`);
    }
    for (const port of [443, 1024, 8080, 65535]) assert.equal(faultOf(`https://example.com:${port}/`), undefined);
  });

  it('an internal target is allowed, also over http, only if the operator names its host and port', () => {
    const allow = listOf('127.0.0.1:8080', 'crm.internal:5432', '[::1]:9000');
    for (const uri of [
      'http://127.0.0.1:8080/x',
      'https://127.1:8080/',
      'http://CRM.internal.:5432/',
      'http://[::1]:9000/',
    ]) {
      assert.equal(faultOf(uri, allow), undefined, uri);
    }
    for (const uri of [
      'http://127.0.0.1:8081/',
      'http://127.0.0.2:8080/',
      'http://crm.internal:80/',
      'http://[::1]:9001/',
    ]) {
      assert.ok(faultOf(uri, allow), uri);
    }
  });

  it('a target whose name may resolve to the operator’s ranges is dialled over http only there', () => {
    const allow = listOf('10.0.0.0/8', 'fd00::/8');
    assert.equal(faultOf('http://10.1.2.3/', allow), undefined);
    assert.equal(faultOf('https://[fd00::1]/', allow), undefined);
    assert.equal(faultOf('http://10.1.2.3:6379/', allow), 'must not name port 6379');
    const plain = checkTarget('http://crm.internal/', allow);
    assert.ok(!('fault' in plain));
    assert.equal(mayDial('10.1.2.3', plain, allow), true);
    assert.equal(mayDial('8.8.8.8', plain, allow), false);
    const secure = checkTarget('https://crm.example.com/', allow);
    assert.ok(!('fault' in secure));
    for (const [address, may] of [
      ['10.1.2.3', true],
      ['8.8.8.8', true],
      ['192.168.0.1', false],
      ['::ffff:8.8.8.8', false],
      ['', false],
    ] as const) {
      assert.equal(mayDial(address, secure, allow), may, address);
    }
  });
});

describe('an allow-list', () => {
  it('an allow-list finds an address in a range also if it is written as IPv6', () => {
    const allow = listOf('10.0.0.0/8', '192.0.2.7');
    for (const address of ['10.255.0.1', '::ffff:10.0.0.1', '192.0.2.7']) assert.ok(isListed(address, allow), address);
    for (const address of ['11.0.0.1', '192.0.2.8', 'nothing']) assert.ok(!isListed(address, allow), address);
  });

  it('an allow-list refuses an entry that is neither a range, an address nor a target', () => {
    for (const entry of ['10', '10.0.0.0/33', 'crm', 'crm:0', 'crm:65536', '*:443', 'https://crm:443', '::1:80:']) {
      assert.equal(parseAllowList([entry]), undefined, entry);
    }
    assert.equal(parseAllowList(Array.from({ length: 101 }, () => '10.0.0.1')), undefined);
  });

  it('an allow-list does not treat as public what is not an address', () => {
    for (const text of ['', 'example.com', '999.1.1.1']) assert.equal(isPublic(text), false);
  });
});
