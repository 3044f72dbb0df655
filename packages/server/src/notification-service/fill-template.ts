/**
 * The body of a webhook, if the tenant writes its own: JSON with placeholders. Values are escaped, so a name with a
 * quotation mark changes nothing but the name.
 */
export type TemplateValues = {
  type: string;
  processInstanceId: string;
  status: string;
  sequence: number;
  environment: string;
  processDefnName: string;
  processDefnVersion: number;
  dateTime: string;
  /** Of events of identity stores; empty otherwise. */
  storeName: string;
  userId: string;
  parameters: Readonly<Record<string, string>>;
};

const PLACEHOLDER = /\{([a-zA-Z]+)(?:\.([A-Za-z0-9_.-]{1,100}))?\}/g;

/** Text with what is awkward in JSON: a placeholder that stands outside quotation marks shows when it is saved. */
const SAMPLE: TemplateValues = {
  type: 'instance.created',
  processInstanceId: '01JZ4MCW8A0C2E4G6J8M0P2R4T',
  status: 'PENDING',
  sequence: 1,
  environment: 'test',
  processDefnName: 'a "name"',
  processDefnVersion: 1,
  dateTime: '2026-01-01T00:00:00.000Z',
  storeName: 'a "store"',
  userId: '01JZ4MCW8A0C2E4G6J8M0P2R4T',
  parameters: {},
};
const KNOWN = Object.keys(SAMPLE).filter((name) => name !== 'parameters');
const ANY_TEXT = 'any "text"';

/** What is wrong with a template; nothing if it is JSON whatever it is filled with. */
export function templateFault(template: string): string | undefined {
  for (const [placeholder, name = '', member] of template.matchAll(PLACEHOLDER)) {
    if (name === 'secret') return 'must not hold a secret; secrets belong into headers';
    const known = member === undefined ? KNOWN.includes(name) : name === 'parameters';
    if (!known) {
      const all = [...KNOWN, 'parameters.NAME'].map((each) => `{${each}}`).join(' ');
      return `must not hold ${placeholder}; there are ${all}`;
    }
  }
  try {
    JSON.parse(fillTemplate(template, SAMPLE, ANY_TEXT));
    return undefined;
  } catch {
    return 'must be JSON once it is filled; texts stand between quotation marks, as in {"type": "{type}"}';
  }
}

/** A parameter that the instance does not have is empty. */
export function fillTemplate(template: string, values: TemplateValues, absent = ''): string {
  return template.replace(PLACEHOLDER, (_, name: string, member?: string) => {
    const { parameters, ...own } = values;
    const parameter = member !== undefined && Object.hasOwn(parameters, member) ? parameters[member] : undefined;
    const value = member === undefined ? own[name as keyof typeof own] : (parameter ?? absent);
    return JSON.stringify(String(value)).slice(1, -1);
  });
}

export function namesParameters(template: string): boolean {
  return template.includes('{parameters.');
}
