import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import {
  addMasterKeyVersion,
  createMasterKeyFile,
  keepNewestMasterKey,
  openMasterKey,
  parseMasterKey,
} from './master-key.ts';

const KEY = Buffer.alloc(32, 0xa7).toString('base64');
const OTHER = Buffer.alloc(32, 0x5b).toString('base64');
const bytesOf = (key: { key: { export(): Buffer } }) => key.key.export().toString('base64');

describe('the text of a master key', () => {
  it('the text of a master key contains one key for each version, on lines or between commas, with spaces around them', () => {
    for (const text of [`1:${KEY}\n2:${OTHER}\n`, `2:${OTHER},1:${KEY}`, `\r\n 2:${OTHER} , \r\n\t1:${KEY}\r\n`]) {
      const keys = parseMasterKey(text, 'here');
      assert.deepEqual([...keys.keys()].sort(), [1, 2]);
      assert.deepEqual(
        [1, 2].map((version) => bytesOf(keys.get(version) as never)),
        [KEY, OTHER],
      );
    }
  });

  it('the text of a master key that is wrong is refused with its position and what it must be, and never shown', () => {
    const wrong = {
      'no version': KEY,
      'version zero': `0:${KEY}`,
      'a negative version': `-1:${KEY}`,
      'a version that is no number': `x:${KEY}`,
      'a version that is too long': `1234567890:${KEY}`,
      'a key that is too short': `1:${Buffer.alloc(31, 7).toString('base64')}`,
      'a key that is too long': `1:${Buffer.alloc(33, 7).toString('base64')}`,
      'a key in hexadecimal': `1:${Buffer.alloc(32, 7).toString('hex')}`,
      'base64 without its end': `1:${KEY.slice(0, -1)}`,
      'base64 for addresses': `1:${Buffer.alloc(32, 0xff).toString('base64url')}=`,
      'one version twice': `1:${KEY}\n1:${OTHER}`,
      'a good one and a bad one': `1:${KEY}\n2:${OTHER.slice(2)}`,
      'a quoted one': `"1:${KEY}"`,
    };
    for (const [what, text] of Object.entries(wrong)) {
      assert.throws(
        () => parseMasterKey(text, 'GROVE_MASTER_KEY'),
        (error: Error) => {
          assert.equal(
            error.message,
            'GROVE_MASTER_KEY must hold "<version>:<32 bytes in base64>", one for each version',
            what,
          );
          assert.ok(!String(error.stack).includes(text.slice(2, 20)), what);
          return true;
        },
      );
    }
    for (const empty of ['', ' \n', ','])
      assert.throws(() => parseMasterKey(empty, 'The file'), /^Error: The file holds no key$/);
  });
});

describe('a master key', () => {
  it('a master key from the environment seals with its newest version and opens with all of them', () => {
    const master = openMasterKey({ env: `9:${KEY},10:${OTHER}` });
    assert.deepEqual([master.current.version, bytesOf(master.current)], [10, OTHER]);
    assert.equal(bytesOf(master.key(9)), KEY);
    assert.throws(() => master.key(8), /^Error: Version 8 of the master key is needed and not given$/);
  });
});

describe('the file of a master key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-test-'));
  const file = join(folder, 'master.key');
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`);
  });
  const mode = () => statSync(file).mode & 0o777;

  it('the file of a master key is created with one new key, only for its owner', () => {
    createMasterKeyFile(file);
    assert.equal(mode(), 0o600);
    const first = bytesOf(openMasterKey({ file }).current);
    rmSync(file);
    createMasterKeyFile(file);
    assert.notEqual(bytesOf(openMasterKey({ file }).current), first);
  });

  it('the file of a master key is never overwritten', () => {
    writeFileSync(file, `3:${KEY}\n`);
    assert.throws(() => createMasterKeyFile(file), { code: 'EEXIST' });
    assert.equal(readFileSync(file, 'utf8'), `3:${KEY}\n`);
  });

  it('the file of a master key keeps its old versions when one is added, and remains readable only for its owner', () => {
    createMasterKeyFile(file);
    const first = bytesOf(openMasterKey({ file }).current);
    assert.equal(addMasterKeyVersion(file), 2);
    assert.equal(addMasterKeyVersion(file), 3);
    const master = openMasterKey({ file });
    assert.equal(master.current.version, 3);
    assert.equal(bytesOf(master.key(1)), first);
    assert.equal(new Set([1, 2, 3].map((version) => bytesOf(master.key(version)))).size, 3);
    assert.equal(mode(), 0o600);
  });

  it('the file of a master key is read again when a running server finds a version it does not know', () => {
    createMasterKeyFile(file);
    const running = openMasterKey({ file });
    addMasterKeyVersion(file);
    assert.equal(running.key(2).version, 2);
    assert.equal(running.current.version, 2);
    assert.throws(() => running.key(3), /Version 3/);
  });

  it('the file of a master key can be reduced to its newest version, however it was written', () => {
    const spellings = [
      `2:${OTHER}\n1:${KEY}\n`,
      `1:${KEY}\n2:${OTHER}`,
      `1:${KEY},2:${OTHER}\n`,
      `2:${OTHER},1:${KEY}`,
      `  1:${KEY}\n  2:${OTHER}\n`,
      `1:${KEY}\n002:${OTHER}\n`,
      `9:${KEY}\r\n10:${OTHER}\r\n`,
    ];
    for (const [at, text] of spellings.entries()) {
      writeFileSync(file, text);
      const retired = keepNewestMasterKey(file, at) ?? '';
      assert.deepEqual([...parseMasterKey(readFileSync(retired, 'utf8'), retired).values()].map(bytesOf), [KEY]);
      assert.equal(statSync(retired).mode & 0o777, 0o600);
      const keys = parseMasterKey(readFileSync(file, 'utf8'), file);
      assert.deepEqual([...keys.values()].map(bytesOf), [OTHER], JSON.stringify(text));
    }
    assert.equal(mode(), 0o600);
  });

  it('the file of a master key never has one number for two keys, also if an older file is restored', () => {
    createMasterKeyFile(file);
    const first = readFileSync(file, 'utf8');
    for (let at = 0; at < 3; at++) {
      addMasterKeyVersion(file);
      keepNewestMasterKey(file, at);
    }
    rmSync(file);
    writeFileSync(file, first);
    assert.equal(addMasterKeyVersion(file), 4);
    assert.equal(keepNewestMasterKey(file, 9) === undefined, false);
    assert.equal(keepNewestMasterKey(file, 10), undefined);
  });

  it('the file of a master key does not change if the next version could not be read back', () => {
    writeFileSync(file, `999999999:${KEY}\n`);
    assert.throws(() => addMasterKeyVersion(file), /must hold/);
    assert.equal(readFileSync(file, 'utf8'), `999999999:${KEY}\n`);
  });

  it('the file of a master key is replaced as a whole: the remains of an interrupted change do no harm', () => {
    createMasterKeyFile(file);
    writeFileSync(`${file}.new`, 'half a k');
    chmodSync(`${file}.new`, 0o644);
    addMasterKeyVersion(file);
    assert.equal(openMasterKey({ file }).current.version, 2);
    assert.equal(mode(), 0o600);
    assert.deepEqual(readdirSync(folder), ['master.key']);
  });

  it('the file of a master key that is missing is named in the error', () => {
    assert.ok(!existsSync(file));
    assert.throws(() => openMasterKey({ file }), new RegExp(file));
  });
});
