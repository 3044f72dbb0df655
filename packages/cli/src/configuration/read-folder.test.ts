import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFolder } from './read-folder.ts';

test('folders, devices and links to nothing are faults, and none is read endlessly', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-folder-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const definitions = join(folder, 'definitions');
  mkdirSync(join(definitions, 'folder.yaml'), { recursive: true });
  symlinkSync('/dev/zero', join(definitions, 'device.yaml'));
  symlinkSync('nothing', join(definitions, 'link.yaml'));
  writeFileSync(join(definitions, 'nameless.yaml'), 'steps: []');
  const { faults } = await readFolder(folder);
  assert.deepEqual(faults, [
    'definitions/device.yaml is not a file that can be read',
    'definitions/folder.yaml is not a file that can be read',
    'definitions/link.yaml is not a file that can be read',
    'definitions/nameless.yaml:1:1 /name is required, and must be text',
  ]);
});
