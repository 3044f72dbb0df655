import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupTests, MAX_FILES_TOGETHER, MAX_FILES_WITH_BROWSER, MAX_FILES_WITH_CHILDREN } from './group-tests.ts';

const texts: Record<string, string> = {
  'packages/journey/test/flows.test.ts': "test('a browser', () => {});",
  'packages/server/src/hook.test.ts': 'after(() => machine.stop());',
  'packages/server/src/variable.test.ts': "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';",
  'packages/server/src/every-statement.test.ts': "import { statements } from './db.ts';",
};
const plain = Array.from({ length: 2 * MAX_FILES_TOGETHER + 1 }, (_, at) => `packages/server/src/plain-${at}.test.ts`);
const read = (file: string) => texts[file] ?? "describe('it', () => { after(() => app.stop()); process.env.ROUNDS; });";

test('every test file is in exactly one group, and no group is larger than the limit', () => {
  const files = [...Object.keys(texts), ...plain];
  const { apart, together } = groupTests(files, read);
  assert.deepEqual([...apart, ...together.flat()].sort(), files.sort());
  const sizes = together.map((group) => group.length);
  assert.ok(sizes.length === 3 && sizes.every((size) => size <= MAX_FILES_TOGETHER), String(sizes));
});

test('a test file that changes the whole process, or is in another folder, has a process of its own', () => {
  const { apart, together } = groupTests(Object.keys(texts), read);
  assert.deepEqual([apart, together], [Object.keys(texts), []]);
});

test('test files that load the models of vision share a process only with each other', () => {
  const vision = ['packages/vision/src/mrz/one.test.ts', 'packages/vision/src/two.test.ts'];
  const { withModels, together } = groupTests([...plain.slice(0, 3), ...vision], read);
  assert.deepEqual([withModels, together], [[vision], [plain.slice(0, 3)]]);
});

test('test files that start processes share a process with each other, unless they change their own process', () => {
  const startsOne = (at: number) =>
    at % 2 ? 'const children = testChildren();' : "import { grove } from '../../test/grove.ts';";
  const files = Array.from({ length: MAX_FILES_WITH_CHILDREN + 1 }, (_, at) => `packages/cli/src/${at}.test.ts`);
  const hook = 'packages/cli/src/hook.test.ts';
  const { withChildren, apart, together } = groupTests([...files, hook], (file) =>
    file === hook ? `${startsOne(0)}\nafter(() => folder.remove());` : startsOne(files.indexOf(file)),
  );
  assert.deepEqual(withChildren.flat().sort(), files);
  assert.deepEqual([withChildren.length, apart, together], [2, [hook], []]);
});

test('test files that use a browser share one with their neighbours, unless they start it themselves', () => {
  const stage = "import { openStage } from './stage.ts';";
  const rows = Array.from({ length: MAX_FILES_WITH_BROWSER + 1 }, (_, at) => `packages/journey/test/${at}.test.ts`);
  const own = 'packages/journey/test/own.test.ts';
  const startsOne = "import { chromium } from 'playwright-core';";
  const { withBrowser, apart } = groupTests([...rows, own], (file) => (file === own ? startsOne : stage));
  assert.deepEqual([withBrowser, apart], [[rows.slice(0, -1), rows.slice(-1)], [own]]);
  const elsewhere = ['packages/server/src/docs.test.ts'];
  assert.deepEqual(groupTests(elsewhere, () => "import type { Page } from 'playwright-core';").apart, elsewhere);
});
