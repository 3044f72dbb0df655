import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { renderMarkdown } from './render-markdown.ts';
import { loadSite, searchEntries } from './site.ts';

const ROOT = fileURLToPath(new URL('../../../../../../', import.meta.url));
const site = loadSite();

test('every link of every page of the documentation leads to a page and a heading that exist, or to a file that is served', () => {
  const anchors = new Map(
    [...site.pages].map(([name, { sections }]) => [name, new Set(sections.map((s) => s.anchor))]),
  );
  for (const [name, { html }] of site.pages) {
    for (const [, address = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|mailto:)/.test(address) || (address.startsWith('/') && !address.startsWith('/docs/'))) continue;
      const [path = '', anchor] = address.split('#');
      const target = path === '' ? name : path.slice('/docs/'.length);
      if (target.startsWith('files/')) assert.ok(site.files.has(target.slice('files/'.length)), `${name}: ${address}`);
      else if (target !== '') {
        assert.ok(anchors.has(target), `${name}: there is no page ${address}`);
        if (anchor) assert.ok(anchors.get(target)?.has(anchor), `${name}: there is no heading ${address}`);
      }
    }
  }
});

test('every relative link in the sources of the documentation names a file that exists', () => {
  for (const { path, source } of site.pages.values()) {
    const text = source.replace(/^```.*?^```$/gms, '').replace(/`[^`]*`/g, '');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#|\/|mailto:)([^)#\s]+)/g)) {
      assert.ok(existsSync(posix.join(ROOT, posix.dirname(path), target)), `${path}: ${target}`);
    }
  }
});

test('every document of the folder is in the contents and in the search', () => {
  const listed = new Set(site.chapters.flatMap(({ pages }) => pages.map(({ name }) => name)));
  assert.deepEqual(
    [...site.pages.keys()].filter((name) => !listed.has(name)),
    [],
  );
  const entries = JSON.stringify(searchEntries(site));
  for (const name of site.pages.keys()) assert.ok(entries.includes(`"/docs/${name}"`), name);
});

test('HTML in a document is shown as text, and two equal headings have two anchors', () => {
  const source =
    '# A\n\n## Same\n\n<script>alert(1)</script>\n\n## Same\n\n<!-- hidden -->\n\n[x](javascript:alert(1)) [y](https://e.example/"x)';
  const { html, sections } = renderMarkdown(source, (href) => (/^https:/.test(href) ? href : undefined));
  assert.doesNotMatch(html, /<script|javascript:|hidden/);
  assert.match(html, /&lt;script&gt;/);
  assert.deepEqual(
    sections.map(({ anchor }) => anchor),
    ['a', 'same', 'same-1'],
  );
});

test('only files of deploy, examples and docs/images are served beside the pages of the documentation', () => {
  for (const path of site.files) assert.match(path, /^(deploy|examples|docs\/images)\//);
  assert.ok(readFileSync(posix.join(ROOT, 'docs/catalogues.md'), 'utf8').includes('do not edit'));
});
