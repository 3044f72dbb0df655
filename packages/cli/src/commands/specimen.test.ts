import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { grove, groveJson, temporaryFolder } from '../../test/grove.ts';

type Drawing = { file: string; bytes: number; person: { surname: string; documentNumber: string }; mrz?: string[] };

test('specimen draws the same document for the same number, with the given person', async (t) => {
  const folder = temporaryFolder(t);
  const [one, other] = [join(folder, 'one.jpg'), join(folder, 'other.jpg')];
  const order = [
    'specimen',
    '--kind',
    'passport',
    '--seed',
    '7',
    '--surname',
    'Eriksson',
    '--document-number',
    'L898902C3',
  ];
  const drawn = await groveJson<Drawing>([...order, '--out', one], {});
  await groveJson<Drawing>([...order, '--out', other], {});
  assert.deepEqual(readFileSync(one), readFileSync(other));
  assert.equal(readFileSync(one).length, drawn.bytes);
  assert.match(drawn.mrz?.join() ?? '', /^P<UTOERIKSSON<<.*,L898902C3/);
});

test('specimen refuses what it cannot draw with exit code 2, and writes nothing', async (t) => {
  const folder = temporaryFolder(t);
  const out = join(folder, 'out.jpg');
  const text = join(folder, 'portrait.txt');
  writeFileSync(text, 'a face, honestly');
  const wrong = [
    ['--kind', 'banknote'],
    ['--kind', 'passport', '--seed', '-1'],
    ['--kind', 'passport', '--birth-date', '2001-02-30'],
    ['--kind', 'passport', '--surname', ''],
    ['--kind', 'passport', '--document-number', 'l89'],
    ['--kind', 'passport', '--tilt', 'steep'],
    ['--kind', 'passport', '--portrait', join(folder, 'nobody.jpg')],
    ['--kind', 'passport', '--portrait', text],
    [],
  ];
  for (const args of wrong) {
    const { code, stderr } = await grove(['specimen', ...args, '--out', out, '--json'], {});
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
    assert.equal(existsSync(out), false);
  }
});

test('specimen replaces a file only with --force', async (t) => {
  const out = join(temporaryFolder(t), 'there.jpg');
  writeFileSync(out, 'something dear');
  const order = ['specimen', '--kind', 'licence', '--side', 'back', '--out', out];
  assert.equal((await grove(order, {})).code, 2);
  assert.equal(readFileSync(out, 'utf8'), 'something dear');
  assert.equal((await grove([...order, '--force'], {})).code, 0);
  assert.deepEqual([...readFileSync(out).subarray(0, 2)], [0xff, 0xd8]);
});
