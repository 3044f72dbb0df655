import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { TEST_SEED } from '../../../../../scripts/test-seed.ts';
import { JPEG, PNG } from '../../../test/images.ts';
import { pageZip, type RawEntry, rawZip } from '../../../test/zips.ts';
import { ArchiveRefused, type REASONS } from './archive-refused.ts';
import { MAX_FILE_BYTES, MAX_FILES } from './check-files.ts';
import { MAX_ENTRIES } from './list-entries.ts';
import { readArchive } from './read-archive.ts';

const INDEX: RawEntry = { name: 'index.html', content: '<!doctype html><p>Hello' };
const refusal = (archive: Buffer) =>
  readArchive(archive).then(
    () => assert.fail('it was taken'),
    (error) => {
      assert.ok(error instanceof ArchiveRefused, String(error?.stack));
      return error;
    },
  );

describe('the archive of a custom page', () => {
  it('the archive of a custom page is read into its files in the order of their paths, with types, hashes and contents', async () => {
    const files = await readArchive(
      pageZip([
        { name: 'js/app.js', content: 'parent.postMessage({event: "READY"}, "*")', method: 0 },
        { name: 'img/', content: '', method: 0, mode: 0o40755 },
        { name: 'img/logo.PNG', content: Buffer.from(PNG) },
        { name: 'a.css', content: 'p { color: red }' },
        { name: '__MACOSX/._index.html', content: Buffer.from([0, 1]) },
        { name: 'js/.DS_Store', content: Buffer.from([0, 1]) },
      ]),
    );
    assert.deepEqual(
      files.map(({ path, contentType }) => [path, contentType]),
      [
        ['a.css', 'text/css; charset=utf-8'],
        ['img/logo.PNG', 'image/png'],
        ['index.html', 'text/html; charset=utf-8'],
        ['js/app.js', 'text/javascript; charset=utf-8'],
      ],
    );
    assert.equal(files[0]?.content.toString(), 'p { color: red }');
  });

  const big = Buffer.alloc(MAX_FILE_BYTES, ' ');
  const packedBig = deflateRawSync(big);
  /** Text that cannot be compressed much. */
  const random = (length: number) => {
    const parts = Array.from({ length: Math.ceil(length / 64) }, (_, at) =>
      createHash('sha256').update(`${at}`).digest('hex'),
    );
    return Buffer.from(parts.join('').slice(0, length));
  };
  for (const [what, archive, reason] of [
    ['nothing', Buffer.alloc(0), 'not_a_zip'],
    ['text', Buffer.from('<!doctype html>'), 'not_a_zip'],
    ['a cut archive', pageZip().subarray(0, -30), 'not_a_zip'],
    ['two archives in one, which programs read differently', Buffer.concat([pageZip(), pageZip()]), 'not_a_zip'],
    ['more than the largest archive', Buffer.alloc(5 * 2 ** 20 + 1), 'too_large'],
    ['no index.html', rawZip([{ name: 'page.html', content: 'x' }]), 'no_index'],
    ['an index.html in a folder only', rawZip([{ name: 'page/index.html', content: 'x' }]), 'no_index'],
    ['a path that climbs', pageZip([{ name: '../evil.js', content: 'x' }]), 'parent_path'],
    ['a path that climbs in the middle', pageZip([{ name: 'a/../../evil.js', content: 'x' }]), 'parent_path'],
    ['a path that climbs with backslashes', pageZip([{ name: '..\\evil.js', content: 'x' }]), 'parent_path'],
    ['a folder that climbs', pageZip([{ name: '../', content: '' }]), 'parent_path'],
    ['an absolute path', pageZip([{ name: '/etc/evil.js', content: 'x' }]), 'absolute_path'],
    ['a path with a drive', pageZip([{ name: 'C:evil.js', content: 'x' }]), 'absolute_path'],
    ['a name with a NUL', pageZip([{ name: 'evil.js\0.png', content: 'x' }]), 'bad_name'],
    ['a name that is no UTF-8', pageZip([{ name: Buffer.from([0xff, 0x2e, 0x6a, 0x73]), content: 'x' }]), 'bad_name'],
    ['a hidden file', pageZip([{ name: '.htaccess.js', content: 'x' }]), 'bad_name'],
    ['the name of a device', pageZip([{ name: 'nul.html', content: 'x' }]), 'bad_name'],
    ['a folder with the name of a device', pageZip([{ name: 'js/COM1/a.js', content: 'x' }]), 'bad_name'],
    ['a folder that ends with a dot', pageZip([{ name: 'js./a.js', content: 'x' }]), 'bad_name'],
    ['a name that ends with a dot', pageZip([{ name: 'a.js.', content: 'x' }]), 'bad_name'],
    ['a name that ends with a blank', pageZip([{ name: 'a.js ', content: 'x' }]), 'bad_name'],
    ['a path with a drive in the middle', pageZip([{ name: 'a/c:/b.js', content: 'x' }]), 'bad_name'],
    ['another stream of a file', pageZip([{ name: 'index.html:x.js', content: 'x' }]), 'bad_name'],
    ['an empty name in a path', pageZip([{ name: 'a//b.js', content: 'x' }]), 'bad_name'],
    ['a path of 201 characters', pageZip([{ name: `${'a'.repeat(198)}.js`, content: 'x' }]), 'long_path'],
    ['nine folders', pageZip([{ name: 'a/a/a/a/a/a/a/a/a.js', content: 'x' }]), 'long_path'],
    ['two names that differ in case', pageZip([{ name: 'INDEX.html', content: 'x' }]), 'twice'],
    [
      'a file that is a folder as well',
      pageZip([
        { name: 'a.js', content: 'x' },
        { name: 'a.js/b.js', content: 'x' },
      ]),
      'twice',
    ],
    ['SVG', pageZip([{ name: 'logo.svg', content: '<svg onload="alert(1)"/>' }]), 'type'],
    ['PHP', pageZip([{ name: 'shell.php', content: 'x' }]), 'type'],
    ['WebAssembly', pageZip([{ name: 'a.wasm', content: 'x' }]), 'type'],
    ['a file without an extension', pageZip([{ name: 'constructor', content: 'x' }]), 'type'],
    ['HTML that says it is a PNG', pageZip([{ name: 'a.png', content: '<script>' }]), 'wrong_content'],
    ['a JPEG that says it is a PNG', pageZip([{ name: 'a.png', content: Buffer.from(JPEG) }]), 'wrong_content'],
    ['a font that is none', pageZip([{ name: 'a.woff2', content: 'wOFF' }]), 'wrong_content'],
    ['JSON that is none', pageZip([{ name: 'a.json', content: '{' }]), 'wrong_content'],
    ['HTML that is no text', pageZip([], 'a\0b'), 'not_text'],
    ['JavaScript that is no UTF-8', pageZip([{ name: 'a.js', content: Buffer.from([0xc3, 0x28]) }]), 'not_text'],
    ['a symbolic link', pageZip([{ name: 'a.js', content: '/etc/passwd', mode: 0o120777 }]), 'symlink'],
    ['a device', pageZip([{ name: 'a.js', content: '', mode: 0o020666 }]), 'symlink'],
    ['an encrypted file', pageZip([{ name: 'a.js', content: 'x', flags: 1 }]), 'encrypted'],
    ['LZMA', pageZip([{ name: 'a.js', content: 'x', method: 14 }]), 'method'],
    ['a wrong checksum', pageZip([{ name: 'a.js', content: 'x', crc: 1 }]), 'checksum'],
    ['bytes that are not deflated', pageZip([{ name: 'a.js', content: 'x', packed: Buffer.from('zzzz') }]), 'corrupt'],
    ['more bytes than it says', pageZip([{ name: 'a.js', content: 'xxxx', size: 2 }]), 'corrupt'],
    ['fewer bytes than it says', pageZip([{ name: 'a.js', content: 'xxxx', size: 9 }]), 'corrupt'],
    ['a file that lies beyond the end', pageZip([{ name: 'a.js', content: 'x', packedSize: 1e6 }]), 'corrupt'],
    ['a directory that lies in a file', rawZip([INDEX], { central: 10 }), 'not_a_zip'],
    [
      'a name that differs in front of the file',
      pageZip([{ name: 'a.js', localName: 'b.js', content: 'x' }]),
      'header_mismatch',
    ],
    ['two entries over the same bytes', rawZip([INDEX, { ...INDEX, offset: 0 }]), 'overlap'],
    [
      'a file of 4 MiB and one byte',
      pageZip([{ name: 'a.js', content: Buffer.concat([big, Buffer.from(' ')]) }]),
      'too_large',
    ],
    ['a bomb', pageZip([{ name: 'a.js', content: big }]), 'ratio'],
    ['a bomb that says it is small', pageZip([{ name: 'a.js', packed: packedBig, size: 10, crc: 0 }]), 'corrupt'],
    [
      'more files than a page has',
      pageZip(Array.from({ length: MAX_FILES }, (_, at) => ({ name: `${at}.js` }))),
      'too_many_entries',
    ],
    [
      'more folders than anybody needs',
      pageZip(Array.from({ length: MAX_ENTRIES }, (_, at) => ({ name: `${at}/` }))),
      'too_many_entries',
    ],
    [
      'sizes of gigabytes',
      pageZip([{ name: 'a.js', content: 'x', method: 0, size: 0xffff_ffff, packedSize: 1 }]),
      'zip64',
    ],
    [
      'more than 20 MiB in all',
      rawZip([
        INDEX,
        ...Array.from({ length: 6 }, (_, at) => {
          const content = Buffer.concat([random(80_000), Buffer.alloc(MAX_FILE_BYTES - 80_000, ' ')]);
          return { name: `${at}.js`, content };
        }),
      ]),
      'too_many_bytes',
    ],
  ] as [string, Buffer, keyof typeof REASONS][]) {
    it(`the archive of a custom page is refused as ${reason} if it is ${what}`, async () => {
      assert.equal((await refusal(archive)).reason, reason);
    });
  }

  it('the archive of a custom page is unpacked up to 20 MiB in all: what comes after them is not read', async () => {
    const large = (name: string) => {
      const content = Buffer.concat([random(80_000), Buffer.alloc(MAX_FILE_BYTES - 80_000, ' ')]);
      return { name, content };
    };
    const files = ['0.js', '1.js', '2.js', '3.js'].map(large);
    // Reading the last entry would report another fault.
    const archive = rawZip([INDEX, ...files, { ...large('4.js'), crc: 0 }]);
    assert.equal((await refusal(archive)).reason, 'too_many_bytes');
  });

  it('the archive of a custom page is refused with the name of the entry, without control characters', async () => {
    const { path, message } = await refusal(pageZip([{ name: `\u001b[31m${'x'.repeat(300)}.js`, content: 'x' }]));
    assert.match(path ?? '', /^\?\[31mx+…$/);
    assert.ok(message.length < 300);
  });
});

/** Archives as a careless or hostile author could make them. `GROVE_FUZZ_RUNS=100000` makes more runs. */
describe('archives that were tampered with', () => {
  const runs = { numRuns: Number(process.env.GROVE_FUZZ_RUNS ?? 300), seed: TEST_SEED };
  const sound = pageZip([
    { name: 'js/app.js', content: 'go()' },
    { name: 'img/logo.png', content: Buffer.from(PNG), method: 0 },
    { name: 'a.json', content: '{"a":1}' },
  ]);
  const takenOrRefused = async (archive: Buffer) => {
    try {
      for (const { content, sha256 } of await readArchive(archive))
        assert.ok(content.length >= 0 && sha256.length === 64);
    } catch (error) {
      assert.ok(error instanceof ArchiveRefused, String((error as Error).stack));
    }
  };

  it(`tampered archives are accepted or refused and never anything else: bytes changed, cut or moved (seed ${runs.seed})`, async () => {
    const change = fc.record({ at: fc.nat(sound.length - 1), byte: fc.nat(255), cut: fc.nat(40) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const archive = Buffer.from(sound);
        for (const { at, byte } of changes) archive[at] = byte;
        await takenOrRefused(changes[0]?.cut === 0 ? archive.subarray(changes[0].at) : archive);
      }),
      runs,
    );
  });

  it(`tampered archives are accepted or refused and never anything else: directories with false entries (seed ${runs.seed})`, async () => {
    const number = fc.oneof(fc.nat(100), fc.constantFrom(0xffff_ffff, 0x7fff_ffff, 2 ** 31, 65_535));
    const entry = fc.record(
      {
        name: fc.oneof(
          fc.constantFrom('index.html', 'a.js', '../a.js', 'a/', '', 'A.JS'),
          fc.string({ maxLength: 30 }),
        ),
        content: fc.string({ maxLength: 50 }),
        method: fc.constantFrom(0, 8, 9, 99),
        flags: fc.constantFrom(0, 1, 8, 0x40, 0x800),
        mode: fc.constantFrom(0o100644, 0o120777, 0o40755, 0),
        crc: number,
        size: number,
        packedSize: number,
        offset: number,
      },
      { requiredKeys: ['name', 'content'] },
    );
    const whole = fc.record({ central: number, count: fc.nat(70_000) }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 5 }), whole, (entries, lies) =>
        takenOrRefused(rawZip([INDEX, ...(entries as RawEntry[])], lies as { central?: number })),
      ),
      runs,
    );
  });

  it(`tampered archives are accepted or refused and never anything else: any bytes (seed ${runs.seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), (bytes) => takenOrRefused(Buffer.from(bytes))),
      runs,
    );
  });
});
