/**
 * Bodies that a tenant writes itself: JSON with placeholders. Values are escaped, so a quotation mark in a value cannot
 * change the structure (injection).
 */
export type Placeholders = {
  /** The placeholders with a fixed name, each with a sample value. */
  readonly names: Readonly<Record<string, string | number>>;
  /** The placeholders that end in a name of the tenant's own: the part before the dot, and the text that explains it. */
  readonly open: Readonly<Record<string, string>>;
  /** A valid template. */
  readonly example: string;
};

const MAX_PLACEHOLDERS = 200;
const PLACEHOLDER = /\{([A-Za-z][^{}"\\]{0,200})\}/g;
const MAX_DEPTH = 32;
/** A sample that breaks the JSON where a placeholder stands outside quotation marks, so that saving fails. */
const ANY_TEXT = 'any "text"';

/** Ensures that a template is JSON with whatever values it is filled. Returns the fault. */
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
    JSON.parse(template.replace(PLACEHOLDER, (_, path: string) => escapeValue(sampleOf(path))));
    return undefined;
  } catch {
    return `must be JSON once it is filled; texts stand between quotation marks, as in ${example}`;
  }
}

/** Whether lists and objects are nested too deep: parsing a deep text takes ten times as long. */
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
 * Unknown placeholders become the empty string. Returns undefined if the text would be longer than `maxLength`. It stops
 * there, because a short template may name a long value two hundred times.
 */
export function fillTemplateUpTo(
  maxLength: number,
  template: string,
  readPath: (path: string) => unknown,
): string | undefined {
  let length = 0;
  const filled = template.replace(PLACEHOLDER, (_, path: string) => {
    if (length > maxLength) return '';
    const text = escapeValue(readPath(path));
    length += text.length;
    return text;
  });
  return length > maxLength || filled.length > maxLength ? undefined : filled;
}

function escapeValue(value: unknown): string {
  return JSON.stringify(typeof value === 'object' ? '' : String(value ?? '')).slice(1, -1);
}
