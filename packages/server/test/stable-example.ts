/**
 * Replaces the values that differ from run to run in the bodies of one call: ids, secrets, times and addresses. Each
 * keeps its length and its kinds of characters, so that it matches the same schema; equal values stay equal.
 */
export type Exchange = { readonly body?: unknown; readonly ok?: unknown };

const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b|(?<=_)[0-7][0-9A-HJKMNP-TV-Z]{25}(?=_)/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const OUR_ADDRESS = /https?:\/\/[\w.-]*(localhost|127\.0\.0\.1)(:\d+)?/g;
const LONG_FRACTION = /\b0\.\d{10,}/g;
const RUN = /[A-Za-z0-9_-]{20,}/g;
const WHOLE = /^[A-Za-z0-9+/_-]{20,}={0,2}$/;
/** The prefix of a secret of Grove is not random. */
const PREFIX = /^(grv_(live|test)_(01JZ4M\w{20}_)?|whsec_)/;
const FIRST_TIME = Date.parse('2026-07-01T09:30:00.000Z');
const FIRST_ID = '01JZ4M8Q2V7R9T3W5X6Y8Z0A';
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** A longer random text, such as an image, is cut, because nobody reads it. */
const MAX_RANDOM = 96;
/** Any other long text is cut as well, such as a drawing. */
const MAX_TEXT = 400;
/** Numbers in this range are times: milliseconds since 1970 in the years 2020 to 2040. */
const MOMENTS = [1_577_836_800_000, 2_208_988_800_000] as const;

export function stabilise(exchange: Exchange): Exchange {
  const ids = new Map<string, string>();
  const nameOf = (id: string) => {
    const at = ids.size;
    const newIdText = `${FIRST_ID}${DIGITS[Math.floor(at / 32) % 32]}${DIGITS[at % 32]}`;
    if (!ids.has(id)) ids.set(id, newIdText);
    return ids.get(id) ?? newIdText;
  };
  const shift = FIRST_TIME - Math.floor(earliest(exchange) / 1000) * 1000;
  const textOf = (text: string): string => {
    const plain = text
      .replace(OUR_ADDRESS, 'https://acme.fir.example.com')
      .replace(TIME, (time) => new Date(Math.floor((Date.parse(time) + shift) / 1000) * 1000).toISOString())
      .replace(ULID, nameOf)
      .replace(UUID, '00000000-0000-4000-8000-000000000001')
      .replace(LONG_FRACTION, '0.5');
    if (WHOLE.test(plain) && isRandom(plain)) {
      const disguised = disguise(plain);
      return disguised.length > MAX_RANDOM ? `${disguised.slice(0, MAX_RANDOM / 2)}…` : disguised;
    }
    const cut = plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT / 4)}…` : plain;
    return cut.replace(RUN, (run) => (isRandom(run) ? disguise(run) : run));
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return textOf(value);
    if (typeof value === 'number') return isMoment(value) ? Math.floor((value + shift) / 1000) * 1000 : value;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [textOf(name), walk(inner)]));
  };
  return walk(exchange) as Exchange;
}

const isMoment = (value: number) => value >= MOMENTS[0] && value < MOMENTS[1];

/** The earliest of all times in the call: later times stay later. */
function earliest(exchange: Exchange): number {
  const text = JSON.stringify(exchange);
  const times = (text.match(TIME) ?? []).map((time) => Date.parse(time));
  const numbers = (text.match(/\b\d{13}\b/g) ?? []).map(Number).filter(isMoment);
  const all = [...times, ...numbers].sort((one, other) => one - other);
  return all[0] ?? FIRST_TIME;
}

function isRandom(text: string): boolean {
  const rest = text.replace(PREFIX, '');
  if (rest.startsWith(FIRST_ID)) return false;
  if (/^[0-9a-f]{32,}$/.test(rest) || /^[A-Z2-7]{26,}$/.test(rest)) return true;
  return rest.length >= 16 && /[a-z]/.test(rest) && /[A-Z]/.test(rest) && /\d/.test(rest);
}

/** Digits stay digits, and letters letters; hexadecimal digits stay hexadecimal. */
function disguise(text: string): string {
  const prefix = PREFIX.exec(text)?.[0] ?? '';
  const rest = text.slice(prefix.length);
  const isHex = /^[0-9a-f]+$/.test(rest);
  const letters = isHex ? 'abcdef' : 'example';
  const letterList = [...rest].map((each, at) => {
    if (/\d/.test(each)) return isHex || !/^[A-Z2-7]+$/.test(rest) ? '0' : '2';
    const letter = letters[at % letters.length] as string;
    return /[a-z]/.test(each) ? letter : /[A-Z]/.test(each) ? letter.toUpperCase() : each;
  });
  return `${prefix}${letterList.join('')}`;
}
