import { api } from './api.ts';

/**
 * JSON Schemas of the files that `grove apply` reads, derived from the bodies of the operations that it calls. Editors use
 * them, and so does the command. Pure.
 */
type Schema = { readonly [member: string]: unknown };
type Shape = { properties: Readonly<Record<string, Schema>>; required?: readonly string[] };

const MAX_RESOURCES = 1000;

const shapeOf = (schema: unknown) => schema as Shape;

/** The schema, but it refuses undeclared members at any depth. */
function closed(schema: Schema): Schema {
  const { properties, items, additionalProperties, anyOf } = schema as Schema & Partial<Shape>;
  const inner = (value: unknown) => (typeof value === 'object' && value !== null ? closed(value as Schema) : value);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, closed(each)])),
      additionalProperties: false,
    }),
    ...(items !== undefined && { items: inner(items) }),
    ...(properties === undefined &&
      additionalProperties !== undefined && { additionalProperties: inner(additionalProperties) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(inner) }),
  };
}

function pick(schema: unknown, without: readonly string[] = [], more: Readonly<Record<string, Schema>> = {}): Schema {
  const { properties, required = [] } = shapeOf(schema);
  const remaining = Object.entries({ ...properties, ...more }).filter(([name]) => !without.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(remaining),
    required: required.filter((name) => !without.includes(name)),
  };
}

/** A map whose keys are the names of its entries. */
const byKey = (body: unknown, key: string): Schema => ({
  type: 'object',
  additionalProperties: pick(body, [key, 'lastUpdatedDtm']),
});

const PermissionOfFile = {
  type: 'string',
  pattern: '^(?!TNT#).{1,200}$',
  description: 'Without `TNT#<tenant>#`, such as `ProcessManager:*`',
};

const items = {
  cloudSecrets: () => pick(api.cloudSecrets.create.body, ['value']),
  stores: () => {
    const { configuration } = shapeOf(api.stores.create.body).properties;
    const policies = {
      passkeyConfigs: byKey(api.passkeys.createConfig.body, 'rpId'),
      appkeyConfigs: byKey(api.appkeys.createConfig.body, 'rpId'),
      totpPolicies: byKey(api.totps.createPolicy.body, 'name'),
    };
    return pick(api.stores.create.body, [], { configuration: pick(configuration, [], policies) });
  },
  watchlists: () => pick(api.watchlists.create.body),
  webhooks: () => pick(api.webhooks.create.body, ['sensitiveHeaders']),
  themes: () => pick(api.themes.create.body),
  apiKeys: () => {
    const permissions = { type: 'array', maxItems: 200, items: PermissionOfFile };
    return pick(api.apiKeys.create.body, ['type', 'environment', 'expiringDtm'], { permissions });
  },
} as const;

/** The schema of a file by its name without `.yaml`; undefined if there is no such file. */
export function configurationSchema(name: string): Schema | undefined {
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: `urn:grove:configuration:${name}` };
  if (name === 'settings') {
    return { ...head, ...closed(pick(api.processSettings.update.body)), required: ['redirectOrigins'] };
  }
  if (!Object.hasOwn(items, name)) return undefined;
  const list = { type: 'array', maxItems: MAX_RESOURCES, items: closed(items[name as keyof typeof items]()) };
  return { ...head, type: 'object', properties: { [name]: list }, required: [name], additionalProperties: false };
}

export const CONFIGURATION_FILES = ['settings', ...Object.keys(items)] as readonly string[];
