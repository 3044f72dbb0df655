import { NO_DATA, type State } from '../state.ts';

/**
 * The body of a request that the tenant writes itself: JSON with placeholders. Values are escaped, so a name with a
 * quotation mark changes nothing but the name.
 */
type Ids = Readonly<Record<'processInstanceId' | 'environment' | 'step', string>>;
type Facts = Pick<State, 'params' | 'data'>;

const PLACEHOLDER = /\{([A-Za-z][^{}"\\]{0,200})\}/g;
const IDS = ['processInstanceId', 'environment', 'step'];
const GATHERED = Object.keys(NO_DATA);
const AWKWARD = 'any "text"';

/** What is wrong with a template; nothing if it is JSON whatever it is filled with. */
export function bodyFault(template: string): string | undefined {
  for (const [placeholder, path = ''] of template.matchAll(PLACEHOLDER)) {
    const [root, kind] = path.split('.');
    const known =
      IDS.includes(path) || (root === 'params' && kind) || (root === 'data' && GATHERED.includes(kind ?? ''));
    if (root === 'secret') return 'must not hold a secret; secrets belong into headers';
    if (!known) {
      const all = [...IDS, 'params.NAME', ...GATHERED.map((each) => `data.${each}.KEY.NAME`)];
      return `must not hold ${placeholder}; there are ${all.map((each) => `{${each}}`).join(' ')}`;
    }
  }
  try {
    JSON.parse(template.replace(PLACEHOLDER, () => escaped(AWKWARD)));
    return undefined;
  } catch {
    return 'must be JSON once it is filled; texts stand between quotation marks, as in {"city": "{params.city}"}';
  }
}

/** What the journey does not have is empty. */
export function fillBody(template: string, ids: Ids, { params, data }: Facts): string {
  return template.replace(PLACEHOLDER, (_, path: string) => {
    if (Object.hasOwn(ids, path)) return escaped(ids[path as keyof Ids]);
    const value = path.split('.').reduce<unknown>(member, { params, data });
    return escaped(typeof value === 'object' ? '' : String(value ?? ''));
  });
}

/** A field that was read of a document is named like a member: the machine-readable values are worth more. */
function member(of: unknown, name: string): unknown {
  if (Array.isArray(of)) {
    const field = of.find((each) => each?.fieldName === name);
    const { mrzValue, barcodeValue, visualZoneValue } = field?.values ?? {};
    return mrzValue ?? barcodeValue ?? visualZoneValue;
  }
  return of !== null && typeof of === 'object' && Object.hasOwn(of, name)
    ? (of as Record<string, unknown>)[name]
    : undefined;
}

function escaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
