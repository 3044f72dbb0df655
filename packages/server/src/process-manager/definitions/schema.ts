import { DefinitionDocument, Duration, MAX_CONDITION_LENGTH, MAX_STEPS, Type, text } from '@grove/contract';
import { END } from '../engine/definition.ts';
import { stepTypes } from '../engine/steps/registry.ts';
import type { StepType } from '../engine/steps/step-type.ts';

/** The JSON Schema of process definitions. The members of a step come from its type in the registry. */

export const NAME_PATTERN = '^[a-z][a-z0-9-]{0,49}$';
export const STEP_ID_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,49}$';
export const KEY_PATTERN = '^[A-Za-z][A-Za-z0-9_]{0,49}$';

const DEFAULT_TIMEOUT = 'PT24H';
const DEFAULT_MAX_DURATION = 'PT48H';
const DEFAULT_RETENTION_DAYS = 30;

type JsonSchema = {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly [keyword: string]: unknown;
};

/** The schema of a step of one type. Members with a default are optional. */
export function stepSchema({ type, about, kind, act, settings, keeps }: StepType): JsonSchema {
  const properties = {
    id: {
      type: 'string',
      pattern: STEP_ID_PATTERN,
      not: { const: END },
      description: 'Names the step in conditions, in `next` and in `onFail`',
    },
    type: { const: type, description: about },
    when: Type.Optional(text(1, MAX_CONDITION_LENGTH, 'A CEL expression; the step is passed over if it is false')),
    // A decision ends the journey, so that nothing comes after it.
    ...(act !== 'decide' && {
      next: Type.Optional(text(1, 50, 'The step to go on with, further down; the step below unless given')),
      onFail: Type.Optional(text(1, 50, 'The step to go on with if this one failed, further down; or `end`')),
    }),
    ...(kind === 'user' && {
      timeout: { ...Duration, default: DEFAULT_TIMEOUT, description: 'How long the end user may take; at most P30D' },
    }),
    ...(keeps && {
      key: {
        type: 'string',
        pattern: KEY_PATTERN,
        default: keeps.defaultKey,
        description: `What it gathers is kept as \`data.${keeps.in}.<key>\``,
      },
    }),
    ...settings,
  };
  const { required = [] } = Type.Object(settings) as { required?: string[] };
  const requiredNames = required.filter((name) => !hasDefault(settings[name]));
  return plain({
    title: `${type} step`,
    description: about,
    type: 'object',
    properties,
    required: ['id', 'type', ...requiredNames],
    additionalProperties: false,
  });
}

/** The schema of a document as a whole; `items` is the schema of its steps. */
export function documentSchema(items: object): JsonSchema {
  const { name, description, processDefinitionType, assurance, fourEyes, retentionDays, theme, maxDuration } =
    DefinitionDocument.properties;
  const { attributes } = DefinitionDocument.properties;
  const { searchable } = attributes.properties;
  return plain({
    type: 'object',
    properties: {
      name: { ...name, pattern: NAME_PATTERN },
      description,
      processDefinitionType: { ...processDefinitionType, default: 'VERIFICATION' },
      assurance: { ...assurance, default: 'basic' },
      fourEyes,
      retentionDays: { ...retentionDays, default: DEFAULT_RETENTION_DAYS },
      theme: { ...theme, default: 'default' },
      maxDuration: {
        ...maxDuration,
        default: DEFAULT_MAX_DURATION,
        description: 'How long an instance may take as a whole; at most P90D',
      },
      attributes: {
        ...attributes,
        properties: { searchable: { ...searchable, uniqueItems: true, default: [] } },
        default: { searchable: [] },
      },
      steps: { type: 'array', minItems: 1, maxItems: MAX_STEPS, items },
    },
    required: ['name', 'steps'],
    additionalProperties: false,
  });
}

/** The published schema: draft 2020-12, without references to others. */
export function definitionSchema(): Readonly<Record<string, unknown>> {
  const types = [...stepTypes.values()];
  const step = {
    type: 'object',
    required: ['id', 'type'],
    properties: { type: { enum: types.map(({ type }) => type) } },
    allOf: types.map(({ type }) => ({
      if: { required: ['type'], properties: { type: { const: type } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { $ref: `#/$defs/${type}` },
    })),
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:grove:process-definition',
    title: 'Process definition',
    description: 'The steps of a journey, in the order in which they are done.',
    ...documentSchema(step),
    $defs: Object.fromEntries(types.map((each) => [each.type, stepSchema(each)])),
  };
}

function hasDefault(schema: object | undefined): boolean {
  return schema !== undefined && 'default' in schema;
}

/** The schema without TypeBox's own symbols. */
function plain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}
