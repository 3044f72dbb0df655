import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeHtml } from '../../../kernel/escape.ts';
import { type RenderedPage, renderMarkdown } from './render-markdown.ts';

/**
 * The documents of the repository for users, each with its own address. The package of a release has the same files. They
 * are read and rendered when somebody first opens the documentation.
 */
export type Page = RenderedPage & {
  readonly name: string;
  /** The name of the page in lists. */
  readonly label: string;
  readonly path: string;
  readonly source: string;
};

export type Site = {
  /** By the name in the address: `quick-start`, `decisions/2026-…`. */
  readonly pages: ReadonlyMap<string, Page>;
  readonly chapters: readonly { readonly title: string; readonly pages: readonly Page[] }[];
  /** Files that a page shows or links to, by their path in the repository. */
  readonly files: ReadonlySet<string>;
};

const ROOT = fileURLToPath(new URL('../../../../../../', import.meta.url));
const MAX_PAGES = 500;
const MAX_FILE_BYTES = 2 ** 20;

/** Documents outside `docs`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  sdk: 'packages/sdk/README.md',
  cli: 'packages/cli/README.md',
  embed: 'packages/embed/README.md',
  changelog: 'CHANGELOG.md',
  'security-policy': 'SECURITY.md',
};

/** Labels for documents whose title is the name of a package. */
const LABELS: Readonly<Record<string, string>> = { sdk: 'SDK', cli: 'Command line', embed: 'Embedding in your page' };

const CHAPTERS: readonly (readonly [title: string, ...names: string[]])[] = [
  ['Begin', 'quick-start', 'migrating', 'results', 'webhooks', 'sdk', 'embed', 'words'],
  ['Journeys', 'definitions', 'configuration-as-code', 'journeys', 'custom-pages', 'languages', 'camera', 'watchlists'],
  ['Checks', 'vision', 'vision-liveness', 'vision-documents', 'liveness'],
  ['Users', 'identity-store', 'appkeys', 'push-notifications'],
  ['Operate', 'production', 'configuration', 'operating', 'cli', 'scaling', 'operators'],
  ['Security and privacy', 'security', 'security-trials', 'privacy', 'security-policy'],
  ['Catalogues', 'catalogues', 'statuses', 'events', 'user-data', 'error-codes', 'permissions'],
];

export function loadSite(root: string = ROOT): Site {
  const paths = pathsOf(root);
  const names = new Map([...paths].map(([name, path]) => [path, name]));
  const files = new Set<string>();
  const pages = new Map<string, Page>();
  for (const [name, path] of paths) {
    const source = readFileSync(posix.join(root, path), 'utf8');
    const rendered = renderMarkdown(source, (href) => addressOf(href, { root, path, names, files }));
    pages.set(name, { ...rendered, name, label: LABELS[name] ?? rendered.title, path, source });
  }
  return { pages, chapters: chaptersOf(pages), files };
}

function pathsOf(root: string): Map<string, string> {
  const documents = globSync('docs/{*,decisions/*}.md', { cwd: root }).sort().slice(0, MAX_PAGES);
  const own = documents.map((path) => [path.slice('docs/'.length, -'.md'.length), path] as const);
  const others = Object.entries(ELSEWHERE).filter(([, path]) => existsSync(posix.join(root, path)));
  return new Map([...own, ...others]);
}

/** Pages without a chapter come last; decisions have their own chapter. */
function chaptersOf(pages: ReadonlyMap<string, Page>): Site['chapters'] {
  const listed = new Set(CHAPTERS.flatMap(([, ...names]) => names));
  const rest = [...pages.keys()].filter((name) => !listed.has(name));
  const decisions = rest.filter((name) => name.startsWith('decisions/'));
  const more = rest.filter((name) => !name.startsWith('decisions/'));
  const all = [...CHAPTERS, ['More', ...more], ['Decisions', ...decisions.reverse()]] as const;
  return all.map(([title, ...names]) => ({ title, pages: names.flatMap((name) => pages.get(name) ?? []) }));
}

type LinkContext = { root: string; path: string; names: ReadonlyMap<string, string>; files: Set<string> };

/** The address of a link in a document: a page, or a file of the repository, which is then served. */
function addressOf(href: string, { root, path, names, files }: LinkContext): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const to = posix.join(posix.dirname(path), target);
  const name = names.get(to);
  const after = anchor === undefined ? '' : `#${anchor}`;
  if (name !== undefined) return `/docs/${name}${after}`;
  if (to === 'docs') return '/docs/';
  if (to === 'docs/decisions') return '/docs/#decisions';
  if (!isServedFile(root, to)) return undefined;
  files.add(to);
  return `/docs/files/${to}`;
}

/** Ensures that only examples and deployment files are served (path traversal). */
function isServedFile(root: string, path: string): boolean {
  if (!/^(deploy|examples|docs\/images)\//.test(path)) return false;
  const stats = statSync(posix.join(root, path), { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= MAX_FILE_BYTES;
}

export function readSiteFile(path: string, root: string = ROOT): Buffer {
  return readFileSync(posix.join(root, path));
}

/** The entries for the search in the browser, one for each heading. */
export function searchEntries({ pages }: Site): object[] {
  return [...pages.values()].flatMap(({ name, label: page, sections }) =>
    sections.map(({ anchor, title, depth, text }) => ({
      id: `/docs/${name}${depth === 1 ? '' : `#${anchor}`}`,
      page,
      title: depth === 1 ? page : title,
      text,
    })),
  );
}

const MAX_OPENING = 160;

/** The first sentence of a page, for lists. */
export function firstSentence(opening: string): string {
  const sentence = /^.*?\.(?=\s|$)/s.exec(opening)?.[0] ?? opening;
  const short =
    sentence.length <= MAX_OPENING ? sentence : `${sentence.slice(0, MAX_OPENING).replace(/\s+\S*$/, '')} …`;
  return short.replace(/\s+/g, ' ');
}

export function overviewHtml({ chapters }: Site): string {
  const lists = chapters
    .filter(({ pages }) => pages.length > 0)
    .map(({ title, pages }) => {
      const isShort = title === 'Decisions';
      const items = pages.map(
        ({ name, label, opening }) =>
          `<li><a href="/docs/${name}">${escapeHtml(label)}</a>${isShort ? '' : `<p>${escapeHtml(firstSentence(opening))}</p>`}</li>`,
      );
      const anchor = title.toLowerCase().replaceAll(' ', '-');
      return `<section class="chapter"><h2 id="${anchor}">${title}</h2><ul${isShort ? ' class="short"' : ''}>${items.join('')}</ul></section>`;
    });
  return `<h1>Grove documentation</h1>
<p>Everything here comes from this server and describes its version. Nothing is loaded from elsewhere.</p>
<ul class="tools">
<li><a href="/docs/reference/">API reference</a><p>Every operation, with “Test Request” against this server.</p></li>
<li><a href="/openapi.json">OpenAPI 3.1</a><p>The description of the API for programs.</p></li>
<li><a href="/docs/grove.postman_collection.json" download>Collection for Postman and Bruno</a><p>Every operation as a request; the first one gets the token.</p></li>
<li><a href="/llms.txt">llms.txt</a><p>For programs that read documentation.</p></li>
</ul>
${lists.join('\n')}`;
}
