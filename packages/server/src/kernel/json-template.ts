/**
 * Bodies that a tenant writes itself: JSON with placeholders. Values are escaped, so a name with a quotation mark changes
 * nothing but the name.
 */
export type Placeholders = {
  /** Those that there are, each with a value that it may have. */
  readonly names: Readonly<Record<string, string | number>>;
  /** Those that go on behind a dot with a name of the tenant's own: how they begin, and how they are shown. */
  readonly open: Readonly<Record<string, string>>;
  /** A template that is right. */
  readonly example: string;
};

const MAX_PLACEHOLDERS = 200;
const PLACEHOLDER = /\{([A-Za-z][^{}"\\]{0,200})\}/g;
const MAX_DEPTH = 32;
/** Text with what is awkward in JSON: a placeholder that stands outside quotation marks shows when it is saved. */
const ANY_TEXT = 'any "text"';

/** What is wrong with a template; nothing if it is JSON whatever it is filled with. */
export function templateFault(template: string, { names, open, example }: Placeholders): string | undefined {
  const begins = Object.keys(open);
  let placeholders = 0;
  for (const [placeholder, path = ''] of template.matchAll(PLACEHOLDER)) {
    placeholders += 1;
    if (placeholders > MAX_PLACEHOLDERS) return `must not hold more than ${MAX_PLACEHOLDERS} placeholders`;
    if (/^secret\b/.test(path)) return 'must not hold a secret; secrets belong into headers';
    if (Object.hasOwn(names, path) || begins.some((each) => path.startsWith(`${each}.`))) continue;
    const all = [...Object.keys(names), ...Object.values(open)].map((each) => `{${each}}`).join(' ');
    return `must not hold ${placeholder}; there are ${all}`;
  }
  if (isDeep(template)) return `must not be nested deeper than ${MAX_DEPTH}`;
  try {
    const sampleOf = (path: string) => (Object.hasOwn(names, path) ? names[path] : ANY_TEXT);
    JSON.parse(template.replace(PLACEHOLDER, (_, path: string) => filledWith(sampleOf(path))));
    return undefined;
  } catch {
    return `must be JSON once it is filled; texts stand between quotation marks, as in ${example}`;
  }
}

/** Whether lists and objects stand deeper in each other than they may: to parse a deep text takes ten times as long. */
function isDeep(template: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < template.length && depth <= MAX_DEPTH; at++) {
    const character = template[at];
    if (character === '"') isText = !isText;
    else if (isText && character === '\\') at += 1;
    else if (!isText && (character === '[' || character === '{')) depth += 1;
    else if (!isText && (character === ']' || character === '}')) depth -= 1;
  }
  return depth > MAX_DEPTH;
}

/**
 * Unknown placeholders become the empty string. Undefined if the filled text would be longer than `maxLength`. A short
 * template may name a long text two hundred times, so it is not filled any further than this.
 */
export function fillTemplateUpTo(
  maxLength: number,
  template: string,
  readPath: (path: string) => unknown,
): string | undefined {
  let length = 0;
  const filled = template.replace(PLACEHOLDER, (_, path: string) => {
    if (length > maxLength) return '';
    const text = filledWith(readPath(path));
    length += text.length;
    return text;
  });
  return length > maxLength || filled.length > maxLength ? undefined : filled;
}

function filledWith(value: unknown): string {
  return JSON.stringify(typeof value === 'object' ? '' : String(value ?? '')).slice(1, -1);
}
