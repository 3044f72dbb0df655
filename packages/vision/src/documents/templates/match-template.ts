import type { DocumentType } from '../document-type.ts';
import type { VisualLine } from '../visual-field.ts';
import { EUROPE } from './europe.ts';
import { AAMVA_LABELS, NORTH_AMERICA } from './north-america.ts';
import { plain, type Template } from './template.ts';

export const TEMPLATES: readonly Template[] = [...NORTH_AMERICA, ...EUROPE];

const TITLES: readonly string[] = [...new Set(TEMPLATES.flatMap(({ titles }) => titles))];

/** A US licence of an unknown state. The shape of its number is unknown as well, so no number is read. */
const SOME_STATE: Template = {
  id: 'usa-dl',
  country: 'USA',
  type: 'drivingLicence',
  titles: NORTH_AMERICA[0]?.titles ?? [],
  issuers: ['USA'],
  dates: 'MDY',
  labels: AAMVA_LABELS,
  numbers: [],
  sides: 2,
};
/** Shorter names occur inside other words (MAINE in MAIN E), so they must be a line of their own. */
const MIN_PART = 7;
/** The number of other characters in the line of a state's name: STATE OF, USA, DRIVER LICENSE. */
const MAX_BESIDE = 16;

/** The template of a document without a zone, by its title and the name of its issuer. */
export function matchTemplate(lines: readonly VisualLine[]): Template | undefined {
  const single = lines.map(({ text }) => plain(text)).filter((text) => text.length > 1);
  const texts = [...single, ...joined(lines)];
  const titlesInText = new Set(TITLES.filter((title) => texts.some((text) => holds(text, title))));
  if (texts.some((text) => text.includes('DRIVER')) && texts.some((text) => text.includes('LICENSE'))) {
    titlesInText.add('DRIVERLICENSE');
  }
  const titled = TEMPLATES.filter(({ titles }) => titles.some((title) => titlesInText.has(title)));
  if (titled.length === 0) return undefined;
  const candidates = titled
    .flatMap((template) => template.issuers.flatMap((name) => (isNamed(texts, name) ? [{ template, name }] : [])))
    // WEST VIRGINIA contains VIRGINIA, so the longest name is the right one.
    .sort((one, other) => other.name.length - one.name.length);
  const [best] = candidates;
  if (best) return best.template;
  const american = titled.find(({ country }) => country === 'USA');
  if (!american) return undefined;
  return stateOfAddress(single, american.type) ?? (texts.some((text) => text === 'USA') ? SOME_STATE : undefined);
}

/** Joins neighbouring lines and boxes: titles and names may be split, as DRIVER above LICENSE or NORTH beside CAROLINA. */
function joined(lines: readonly VisualLine[]): string[] {
  const short = lines.filter(({ text }) => text.length < 20);
  return short.flatMap((one) =>
    short.flatMap((other) => {
      const down = other.y - one.y;
      const across = other.x - one.x - one.width;
      const isBelow = down > 0.3 * one.height && down < 2 * one.height && Math.abs(other.x - one.x) < 0.1;
      const isBeside = Math.abs(down) < 0.5 * one.height && across > -0.03 && across < 0.06;
      return isBelow || isBeside ? [plain(one.text) + plain(other.text)] : [];
    }),
  );
}

/** Whether a text contains a title; in a long title, one letter may be misread. */
function holds(text: string, title: string): boolean {
  if (text.includes(title)) return true;
  if (title.length < MIN_PART || text.length < title.length - 1) return false;
  for (let from = 0; from + title.length <= text.length; from += 1) {
    let wrong = 0;
    for (let i = 0; i < title.length && wrong <= 1; i += 1) if (text[from + i] !== title[i]) wrong += 1;
    if (wrong <= 1) return true;
  }
  return false;
}

function isNamed(texts: readonly string[], name: string): boolean {
  return texts.some((text) => {
    const letters = text.replace(/0/g, 'O').replace(/1/g, 'I').replace(/5/g, 'S').replace(/\d/g, '');
    if (letters === name) return true;
    if (letters.length > name.length + MAX_BESIDE) return false;
    if (name.length < MIN_PART)
      return letters.startsWith(name) && /^(USA|DRIVER|IDENT|OPERATOR)/.test(letters.slice(name.length));
    return holds(letters, name);
  });
}

/** CITY, ST 12345: the last line of an American address names the state. */
function stateOfAddress(texts: readonly string[], type: DocumentType): Template | undefined {
  const templates = texts.flatMap((text) => {
    const code = /[A-Z]{3}([A-Z]{2})\d{5}(\d{4})?$/.exec(text)?.[1];
    return NORTH_AMERICA.find((each) => each.country === 'USA' && each.region === code && each.type === type) ?? [];
  });
  const [first] = templates;
  return templates.every((each) => each === first) ? first : undefined;
}
