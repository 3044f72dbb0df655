import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../../kernel/escape.ts';

/** Markdown of our own documents to HTML. HTML in a document is shown as text; comments are dropped. Pure. */
export type Section = {
  readonly anchor: string;
  readonly title: string;
  readonly depth: number;
  /** The text of the section, for the search. */
  readonly text: string;
};

export type RenderedPage = {
  readonly title: string;
  /** The first paragraph, without marks. */
  readonly opening: string;
  readonly html: string;
  readonly sections: readonly Section[];
};

/** The address of the target of a link; undefined if it is not served, which turns the link into text. */
export type AddressOf = (href: string) => string | undefined;

export function renderMarkdown(text: string, addressOf: AddressOf): RenderedPage {
  const marked = new Marked();
  const tokens = marked.lexer(text);
  const anchors = anchorsOf(tokens);
  marked.use({
    renderer: {
      heading(token) {
        const { tokens: inner, depth } = token;
        const anchor = anchors.get(token) ?? '';
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(inner)} ${depth > 1 ? link : ''}</h${depth}>\n`;
      },
      link({ href, tokens: inner }) {
        const address = addressOf(href);
        const label = this.parser.parseInline(inner);
        if (address === undefined) return label;
        const outside = /^https?:/.test(address) ? ' rel="noreferrer"' : '';
        return `<a href="${escapeHtml(address)}"${outside}>${label}</a>`;
      },
      image({ href, text: alt }) {
        const address = addressOf(href);
        return address === undefined ? escapeHtml(alt) : `<img src="${escapeHtml(address)}" alt="${escapeHtml(alt)}">`;
      },
      html({ text: source }) {
        return /^\s*<!--/.test(source) ? '' : escapeHtml(source);
      },
    },
  });
  const html = marked
    .parser(tokens)
    // Tables and code that are wider than the screen scroll by themselves, with the keyboard, too.
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
  const sections = sectionsOf(tokens, anchors);
  const opening = tokens.find(({ type }) => type === 'paragraph');
  return { title: sections[0]?.title ?? '', opening: opening ? plainOf(opening) : '', html, sections };
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

/** The same anchors as those of other viewers of Markdown, so that links work in both. */
function anchorsOf(tokens: readonly Token[]): ReadonlyMap<Token, string> {
  const times = new Map<string, number>();
  return new Map(
    tokens.filter(isHeading).map((heading) => {
      const anchor = anchorOf(plainOf(heading));
      const before = times.get(anchor) ?? 0;
      times.set(anchor, before + 1);
      return [heading, before === 0 ? anchor : `${anchor}-${before}`];
    }),
  );
}

export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function sectionsOf(tokens: readonly Token[], anchors: ReadonlyMap<Token, string>): Section[] {
  const sections: { anchor: string; title: string; depth: number; texts: string[] }[] = [];
  for (const token of tokens) {
    if (isHeading(token)) {
      const anchor = anchors.get(token) ?? '';
      sections.push({ anchor, title: plainOf(token), depth: token.depth, texts: [] });
    } else if (token.type !== 'html') sections.at(-1)?.texts.push(plainOf(token));
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.join(' ').replace(/\s+/g, ' ').trim() }));
}

/** The words of a token, without marks. */
function plainOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((cells) => cells.map((cell) => cell.tokens.map(plainOf).join('')).join(' ')).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainOf).join(' ');
  if (token.type === 'code' || token.type === 'codespan') return withoutEntities((token as Tokens.Code).text);
  if ('tokens' in token && token.tokens) return token.tokens.map(plainOf).join('');
  return 'text' in token ? withoutEntities(String(token.text)) : '';
}

function withoutEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
