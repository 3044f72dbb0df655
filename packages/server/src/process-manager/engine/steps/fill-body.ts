import { fillTemplateUpTo, type Placeholders, templateFault } from '../../../kernel/json-template.ts';
import { validValues } from '../read-values.ts';
import { NO_DATA, type State } from '../state.ts';

/** The body of a request to a service of the tenant, from the tenant's template. */
type Ids = Readonly<Record<'processInstanceId' | 'environment' | 'step', string>>;
type Facts = Pick<State, 'params' | 'data'>;

const PLACEHOLDERS: Placeholders = {
  names: { processInstanceId: '01JZ4MCW8A0C2E4G6J8M0P2R4T', environment: 'test', step: 'a-step' } satisfies Ids,
  open: {
    params: 'params.NAME',
    ...Object.fromEntries(Object.keys(NO_DATA).map((kind) => [`data.${kind}`, `data.${kind}.KEY.NAME`])),
  },
  example: '{"city": "{params.city}"}',
};

export function bodyFault(template: string): string | undefined {
  return templateFault(template, PLACEHOLDERS);
}

/** A template may name a long text many times. */
export const MAX_FILLED_LENGTH = 256 * 1024;

/** Unknown placeholders become the empty string. Undefined if the body would be too long. */
export function fillBody(template: string, ids: Ids, { params, data }: Facts): string | undefined {
  const values = { params, data, ...ids };
  return fillTemplateUpTo(MAX_FILLED_LENGTH, template, (path) => path.split('.').reduce<unknown>(member, values));
}

/** Reads a member, or a field of a document by its name; machine-readable values take precedence. */
function member(of: unknown, name: string): unknown {
  if (Array.isArray(of)) {
    const field = of.find((each) => each?.fieldName === name);
    const { mrzValue, barcodeValue, visualZoneValue } = validValues(field?.values);
    return mrzValue ?? barcodeValue ?? visualZoneValue;
  }
  return of !== null && typeof of === 'object' && Object.hasOwn(of, name)
    ? (of as Record<string, unknown>)[name]
    : undefined;
}
