import { Type } from '@grove/contract';
import type { Step } from '../definition.ts';
import { ANY, listOf, NUMBER, objectOf, type Shape, TEXT, TRUTH } from '../expressions/shapes.ts';
import { formFaults, formTexts } from './form-schema.ts';
import { formValueFaults } from './form-values.ts';
import { knownValues } from './known-values.ts';
import { localText } from './local-text.ts';
import type { StepType } from './step-type.ts';

type FormStep = Step & { schema: Readonly<Record<string, unknown>> };

export const form: StepType = {
  type: 'form',
  repeatable: true,
  about: 'The end user fills in a form, described by a JSON Schema.',
  kind: 'user',
  keeps: { in: 'forms', defaultKey: 'form1', shape: (step) => formShape((step as FormStep).schema) },
  settings: {
    title: Type.Optional(localText(100, 'The heading')),
    schema: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'A JSON Schema of type object: strings, numbers, booleans, enums, dates, and lists of those',
    }),
  },
  texts: (step) => [{ pointer: '/title', text: step.title }, ...formTexts((step as FormStep).schema, '/schema')],
  faults: (step) => formFaults((step as FormStep).schema),
  byAnswer: true,
  user: {
    needs: 'form',
    seconds: 50,
    correctable: true,
    resultFaults: (step, result) => formValueFaults((step as FormStep).schema, result),
    show: (step, state) => ({
      title: step.title,
      schema: step.schema,
      values: { ...knownValues((step as FormStep).schema, state), ...state.data.forms[step.key as string] },
    }),
    take: (step, { result }) => ({ outcome: 'PASSED', data: { forms: { [step.key as string]: result } } }),
  },
};

const KINDS: Readonly<Record<string, Shape>> = { string: TEXT, number: NUMBER, integer: NUMBER, boolean: TRUTH };

/**
 * The shape of a form for conditions, from its JSON Schema. Members beside the properties are known only if the schema
 * allows them with `additionalProperties`.
 */
function formShape(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return ANY;
  const { type, properties = {}, items, additionalProperties = false } = schema as Readonly<Record<string, unknown>>;
  if (type === 'array') return listOf(formShape(items));
  if (type !== 'object') return (typeof type === 'string' && KINDS[type]) || ANY;
  const members = Object.entries(properties as object).map(([name, property]) => [name, formShape(property)] as const);
  return objectOf(Object.fromEntries(members), { open: additionalProperties !== false });
}
