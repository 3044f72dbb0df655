import { escapeHtml } from '../../../kernel/escape.ts';
import type { Section } from './render-markdown.ts';
import type { Site } from './site.ts';

/** The frame around every page of the documentation: search, contents, headings. Its ids differ from those of headings. */
export type PageView = {
  readonly site: Site;
  /** The name of the page; empty for the overview. */
  readonly name: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
};

export function layout({ site, name, title, html, sections }: PageView): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Grove</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/search.js"></script>
</head>
<body>
<header>
<a class="home" href="/docs/">Grove</a>
<div class="search">
<input type="search" id="docs-search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" aria-controls="docs-results">
<div id="docs-results" hidden><p role="status"></p><ul></ul></div>
</div>
<a class="menu" href="#docs-contents">Contents</a>
</header>
<div class="columns">
<main>
${html}
</main>
${headings(sections)}<nav id="docs-contents" aria-label="Contents">
${contents(site, name)}
</nav>
</div>
</body>
</html>
`;
}

function contents({ chapters }: Site, current: string): string {
  const linkTo = (address: string, text: string, isCurrent: boolean) =>
    `<li><a href="${address}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`;
  const lists = chapters
    .filter(({ title, pages }) => pages.length > 0 && title !== 'Decisions')
    .map(({ title, pages }) => {
      const items = pages.map(({ name, label }) => linkTo(`/docs/${name}`, label, name === current));
      return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('')}</ul>`;
    });
  const reference = [
    linkTo('/docs/reference/', 'API reference', false),
    linkTo('/docs/#decisions', 'Decisions', current.startsWith('decisions/')),
    linkTo('/docs/changelog', 'Changelog', current === 'changelog'),
  ];
  return [`<h2>Reference</h2>\n<ul>${reference.join('')}</ul>`, ...lists].join('\n');
}

const MAX_HEADINGS = 60;

function headings(sections: readonly Section[]): string {
  const items = sections.filter(({ depth }) => depth === 2).slice(0, MAX_HEADINGS);
  if (items.length < 2) return '';
  const list = items.map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${list.join('')}</ul></aside>\n`;
}
