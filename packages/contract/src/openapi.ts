import { api, type GroupName, type ListedOperation, operations } from './api.ts';
import { catalogue } from './errors.ts';
import { exampleOf, streamExamples } from './openapi-examples.ts';
import { guide, pathParameters, tagDescriptions } from './openapi-guide.ts';
import { problemResponses, problemsOf, takesIdempotencyKey } from './openapi-problems.ts';
import { type JsonSchema, type SchemaHoister, schemaHoister } from './openapi-schemas.ts';
import { type Address, addressesOf, type GroupedOperation, needsBody, paramNames } from './operation.ts';
import { Problem, Refusal } from './problem.ts';
import { MAX_ID_LENGTH } from './schema.ts';

type Json = { readonly [member: string]: unknown };

export type OpenApiDocument = {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Json>>;
};

/** The OpenAPI 3.1 document of the contract. The same contract gives the same document, byte for byte. */
export function buildOpenApi({ version }: { readonly version: string }): OpenApiDocument {
  const schemas = schemaHoister();
  const paths: Record<string, Record<string, Json>> = {};
  for (const listed of operations()) {
    addressesOf(listed.operation).forEach((address, index) => {
      const item = paths[address.path] ?? {};
      item[listed.operation.method.toLowerCase()] = {
        operationId: `${listed.id}${index === 0 ? '' : twinSuffix(address)}`,
        ...describe(listed, address, schemas),
      };
      paths[address.path] = item;
    });
  }
  const responses = problemResponses(schemas.place(Problem), schemas.place(Refusal));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Grove',
      version,
      summary: 'An open, self-hosted identity verification service',
      description: guide(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers,
    tags: (Object.keys(api) as GroupName[]).map((name) => ({
      name,
      'x-displayName': displayName(name),
      description: tagDescriptions[name],
    })),
    paths,
    components: {
      schemas: schemas.components(),
      responses,
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes,
    },
  };
}

/** The name of a group for readers: `API keys` for `apiKeys`. */
function displayName(group: string): string {
  const words = group.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^api /, 'API ');
  return words === 'totps' ? 'TOTP' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The text of the checked-in document. */
export function renderOpenApi(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

const servers = [
  {
    url: 'https://{tenantId}.{region}.{domain}',
    description: 'A tenant of a regional system',
    variables: {
      tenantId: { default: 'acme', description: 'The identifier of the tenant' },
      region: { default: 'fir', enum: ['fir', 'gum', 'oak'], description: 'All regions serve the same paths' },
      domain: { default: 'example.com', description: 'Where the service is hosted' },
    },
  },
  { url: 'http://localhost:8080', description: 'A local server and its default tenant' },
];

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `token` from the response of `POST /api/arthr/apiKeys/issue`',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key; only to issue a token. `X-ApiKey` is read too',
  },
  journey: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-grove-journey-{processInstanceId}',
    description: 'Set by `POST /api/journey/sessions`, for the browser of the end user; opens one instance',
  },
  operator: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-grove-operator',
    description: 'Set when an operator signs in to the console; allows what the role of the operator permits',
  },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'If you repeat a request with the same key within 24 hours, you get the first response again, and nothing is ' +
    'done twice',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function twinSuffix({ userBy }: Address): string {
  return userBy === 'none' ? '.anonymous' : `.${userBy}`;
}

function describe({ group, name, operation }: ListedOperation, address: Address, schemas: SchemaHoister): Json {
  const { permission, codes = [] } = operation;
  const sentences = [operation.description, permission && `Permission: \`TNT#{tenantId}#${permission}\`.`];
  const description = sentences.filter(Boolean).join('\n\n');
  const example = exampleOf(group, name);
  return {
    tags: [group],
    summary: operation.summary,
    ...(description && { description }),
    ...(permission && { 'x-permission': permission }),
    ...(codes.length > 0 && {
      'x-error-codes': Object.fromEntries(codes.map((code) => [code, catalogue[code].message])),
    }),
    security: securityOf(operation),
    parameters: parametersOf(operation, address, schemas),
    ...bodyOf(operation, schemas, example.body),
    responses: {
      [operation.status ?? 200]: successOf(operation, schemas, example.ok ?? streamExamples[`${group}.${name}`]),
      ...problemsOf(operation),
    },
  };
}

function bodyOf(operation: GroupedOperation, schemas: SchemaHoister, example: unknown): Json {
  if (operation.consumes) {
    const json = example === undefined ? {} : { example };
    const content = operation.consumes.map((type) => [type, type === 'application/json' ? json : BINARY]);
    return { requestBody: { required: true, content: Object.fromEntries(content) } };
  }
  if (!operation.body) return {};
  const content = { 'application/json': media(schemas.place(operation.body), example) };
  return { requestBody: { required: needsBody(operation), content } };
}

const BINARY = { schema: { type: 'string', format: 'binary' } };

function media(schema: JsonSchema, example: unknown): Json {
  return { schema, ...(example !== undefined && { example }) };
}

function securityOf({ auth }: GroupedOperation): readonly Json[] {
  if (auth === undefined) return [{ bearer: [] }, { operator: [] }];
  if (auth === 'operator') return [{ operator: [] }];
  if (auth === 'journey') return [{ journey: [] }];
  return auth === 'apiKey' ? [{ apiKey: [] }] : [];
}

function parametersOf(operation: GroupedOperation, { path }: Address, schemas: SchemaHoister): Json[] {
  const inPath = paramNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name],
    schema: { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH },
  }));
  const query = (operation.query ?? {}) as { properties?: Record<string, unknown>; required?: readonly string[] };
  const inQuery = Object.entries(query.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = schemas.place(property, name);
    const required = query.required?.includes(name) === true;
    return {
      name,
      in: 'query',
      ...(required && { required }),
      ...(description !== undefined && { description }),
      schema,
    };
  });
  const inHeader = takesIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [...inPath, ...inQuery, ...inHeader];
}

function successOf(operation: GroupedOperation, schemas: SchemaHoister, example: unknown): Json {
  const { status = 200, produces, alsoProduces, ok } = operation;
  if (status === 303 || status === 307) {
    const Location = { description: 'Where the end user goes', schema: { type: 'string', format: 'uri' } };
    return { description: status === 307 ? 'Temporary redirect' : 'See other', headers: { Location } };
  }
  if (produces) {
    return {
      description: 'A file or a stream',
      content: { [produces]: { ...BINARY, ...(example !== undefined && { example }) } },
    };
  }
  if (!ok) return { description: 'Done; there is no body' };
  const description = status === 201 ? 'Created' : 'Success';
  const json = { 'application/json': media(schemas.place(ok), example) };
  return { description, content: { ...json, ...(alsoProduces && { [alsoProduces]: BINARY }) } };
}
