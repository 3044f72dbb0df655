import { buildOpenApi } from './openapi.ts';

/**
 * Every operation of a back end as a collection for Postman and for Bruno, which imports the same format (Collection 2.1).
 * Derived from the OpenAPI document. One request exchanges the API key for a token, and the others use the token. Pure.
 */
type Json = { readonly [member: string]: unknown };
type Parameter = { name?: string; in?: string; description?: string; required?: boolean };
type DocumentedOperation = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  parameters: readonly Parameter[];
  security: readonly Readonly<Record<string, unknown>>[];
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> };
};

/** Leaves out the calls that a browser makes with a cookie. */
const isForCallers = ({ security }: DocumentedOperation) =>
  security.length === 0 || security.some((each) => 'bearer' in each || 'apiKey' in each);

export function buildPostman({ version }: { readonly version: string }): Json {
  const { paths, tags } = buildOpenApi({ version });
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as DocumentedOperation,
    })),
  );
  const folders = tags.map((tag) => {
    const own = listed.filter(({ operation }) => operation.tags[0] === tag.name && isForCallers(operation));
    return { name: tag['x-displayName'], description: tag.description, item: own.map(requestOf) };
  });
  return {
    info: {
      name: `Grove ${version}`,
      description: 'Set `baseUrl` and `apiKey`, send “API keys / Issue a bearer token” once, then any other request.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://localhost:8080' },
      { key: 'apiKey', value: '' },
      { key: 'token', value: '' },
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

type Route = { path: string; method: string; operation: DocumentedOperation };

function requestOf({ path, method, operation }: Route): Json {
  const isIssue = operation.operationId === 'apiKeys.issue';
  const body = operation.requestBody?.content['application/json'];
  return {
    name: operation.summary,
    ...(isIssue && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: STORE_TOKEN } }] }),
    request: {
      method: method.toUpperCase(),
      ...(operation.description && { description: operation.description }),
      ...(isIssue && { auth: { type: 'noauth' } }),
      header: [
        ...(isIssue ? [{ key: 'X-Api-Key', value: '{{apiKey}}' }] : []),
        ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ],
      ...(body && { body: { mode: 'raw', raw: JSON.stringify(body.example ?? {}, null, 2) } }),
      url: urlOf(path, operation.parameters),
    },
  };
}

const STORE_TOKEN = ["pm.collectionVariables.set('token', pm.response.json().token);"];

function urlOf(path: string, parameters: readonly Parameter[]): Json {
  const segments = path.slice(1).replace(/\{(\w+)\}/g, ':$1');
  const of = (location: string) => parameters.filter((each) => each.in === location);
  const parameterView = ({ name, description = '' }: Parameter) => ({ key: name, value: '', description });
  return {
    raw: `{{baseUrl}}/${segments}`,
    host: ['{{baseUrl}}'],
    path: segments.split('/'),
    variable: of('path').map(parameterView),
    // Optional parameters are switched off until somebody needs them.
    query: of('query').map((each) => ({ ...parameterView(each), disabled: each.required !== true })),
  };
}
