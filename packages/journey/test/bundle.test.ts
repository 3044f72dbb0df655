import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build, DIST, isFresh } from '../build.ts';

/** The limits of the first view, compressed. */
const MAX_SCRIPT_BYTES = 60_000;
const MAX_STYLE_BYTES = 12_000;

type Chunk = { file: string; name?: string; imports?: string[]; css?: string[] };

before(async () => {
  if (!isFresh()) await build();
});

const weigh = (file: string) => gzipSync(readFileSync(`${DIST}/${file}`)).length;

function firstView() {
  const manifest = JSON.parse(readFileSync(`${DIST}/manifest.json`, 'utf8')) as Record<string, Chunk>;
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const each of manifest[name]?.imports ?? []) visit(each);
  };
  visit('index.html');
  // The first script imports the app.
  const app = Object.keys(manifest).find((name) => manifest[name]?.name === 'app') ?? '';
  visit(app);
  // The texts of one language belong to the first view, and the first step comes right after it.
  for (const name of ['messages/shell/en.json', 'messages/steps/en.json', 'src/steps/consent.tsx']) visit(name);
  const chunks = [...seen].flatMap((name) => manifest[name] ?? []);
  return { chunks, styles: new Set(chunks.flatMap(({ css }) => css ?? [])), app: manifest[app]?.file ?? '' };
}

it('the page names the app, so that it is fetched together with the first script', () => {
  const { app } = firstView();
  const page = readFileSync(`${DIST}/index.html`, 'utf8');
  assert.match(app, /^assets\/app-/);
  assert.ok(page.includes(`<link rel="modulepreload" crossorigin href="/web/${app}">`), page);
  const [, first = ''] = /<script async type="module" crossorigin src="\/web\/([^"]+)">/.exec(page) ?? [];
  assert.ok(weigh(first) < 2_000, `the first piece weighs ${weigh(first)} bytes`);
});

it('the first view is at most 60 kB of script and 12 kB of style, compressed', () => {
  const { chunks, styles } = firstView();
  const scripts = chunks.map(({ file }) => file).filter((file) => file.endsWith('.js'));
  assert.ok(scripts.length >= 4, scripts.join());
  const sum = (files: Iterable<string>) => [...files].reduce((all, file) => all + weigh(file), 0);
  assert.ok(sum(scripts) <= MAX_SCRIPT_BYTES, `${sum(scripts)} bytes of script`);
  assert.ok(styles.size > 0 && sum(styles) <= MAX_STYLE_BYTES, `${sum(styles)} bytes of style`);
});

it('the camera, the faces and the reader of messages are not part of it', () => {
  const { chunks } = firstView();
  const code = chunks.map(({ file }) => readFileSync(`${DIST}/${file}`, 'utf8')).join('\n');
  for (const word of ['getUserMedia', 'tensorflow', 'EXPECT_ARGUMENT_CLOSING_BRACE'])
    assert.ok(!code.includes(word), word);
});

it('no built file loads anything from another host', () => {
  const pages = globSync('**/*.{html,css}', { cwd: DIST }).map((file) => readFileSync(`${DIST}/${file}`, 'utf8'));
  assert.ok(pages.length >= 2);
  for (const text of pages) assert.doesNotMatch(text, /(src|href)="(https?:)?\/\/|url\(["']?(https?:)?\/\//);
});

it('hover styles apply only where there is a pointer', () => {
  const sources = globSync('src/**/*.css', { cwd: `${DIST}/..` });
  assert.ok(sources.length > 5);
  for (const file of sources) {
    const css = readFileSync(`${DIST}/../${file}`, 'utf8');
    const elsewhere = css.replaceAll(/@media \(hover: hover\) \{[\s\S]*?\n\}/g, '');
    assert.doesNotMatch(elsewhere, /:hover/, file);
  }
});

it('files worth compressing have a compressed copy', () => {
  const { chunks } = firstView();
  for (const { file } of chunks.filter((each) => readFileSync(`${DIST}/${each.file}`).length >= 512)) {
    assert.ok(readFileSync(`${DIST}/${file}.br`).length > 0);
    assert.ok(readFileSync(`${DIST}/${file}.gz`).length > 0);
  }
});
