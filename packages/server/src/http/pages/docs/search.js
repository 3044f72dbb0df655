import MiniSearch from './minisearch.js';

/** The search over all pages. The index is loaded when somebody first uses it, and never leaves the browser. */
const MAX_RESULTS = 20;
const AROUND = 90;
const input = document.querySelector('#docs-search');
const panel = document.querySelector('#docs-results');
const status = panel.querySelector('[role=status]');
const list = panel.querySelector('ul');
let index;

/** How something is used comes before why it was decided so. */
const boostDocument = (id) => (id.startsWith('/docs/decisions/') ? 0.3 : 1);

function load() {
  index ??= fetch('/docs/search.json')
    .then((answer) => answer.json())
    .then((entries) => {
      const search = new MiniSearch({
        fields: ['title', 'page', 'text'],
        storeFields: ['title', 'page', 'text'],
        searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND', boostDocument },
      });
      search.addAll(entries);
      return search;
    });
  return index;
}

async function search() {
  const words = input.value.trim();
  panel.hidden = words === '';
  if (words === '') return;
  const found = (await load()).search(words);
  // Somebody may have typed on meanwhile.
  if (words !== input.value.trim()) return;
  status.textContent =
    found.length === 0 ? 'Nothing found' : found.length === 1 ? '1 result' : `${found.length} results`;
  list.replaceChildren(...found.slice(0, MAX_RESULTS).map(item));
}

function item({ id, title, page, text, terms }) {
  const link = document.createElement('a');
  link.href = id;
  const where = document.createElement('small');
  where.textContent = title === page ? '' : page;
  const name = document.createElement('strong');
  name.textContent = title;
  const excerpt = document.createElement('small');
  excerpt.append(...marked(text, terms));
  link.append(where, name, excerpt);
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}

/** The text around the first word that was found, with that word marked. */
function marked(text, terms) {
  const lower = text.toLowerCase();
  const places = terms.map((term) => [lower.indexOf(term), term.length]).filter(([at]) => at >= 0);
  const [at, length] = places.sort(([a], [b]) => a - b)[0] ?? [0, 0];
  const begin = Math.max(0, at - AROUND / 2);
  const mark = document.createElement('mark');
  mark.textContent = text.slice(at, at + length);
  const after = text.slice(at + length, at + length + AROUND);
  return [begin > 0 ? '… ' : '', text.slice(begin, at), mark, after];
}

input.addEventListener('focus', load);
input.addEventListener('input', search);
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, textarea');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape' && !panel.hidden) {
    panel.hidden = true;
    input.focus();
  }
  if (panel.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  const links = [input, ...panel.querySelectorAll('a')];
  const next = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  if (links[next] === undefined) return;
  event.preventDefault();
  links[next].focus();
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search') || target.closest('#docs-results a')) panel.hidden = true;
});
