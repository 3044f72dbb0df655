import { api } from './api.ts';
import { GENERATED, tableOf } from './markdown-table.ts';

/** The page of user data: its shape, read from the schemas, and the paths of images. Pure. */
type Schema = {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
};

const MAX_DEPTH = 8;

/** One row for each member, down to `MAX_DEPTH`. */
export function rowsOf(schema: Schema, path = '', depth = 0): string[][] {
  if (depth > MAX_DEPTH) return [];
  const { properties = {}, required = [], items, additionalProperties: values } = schema;
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [rowOf(at, member, required.includes(name)), ...rowsOf(member, at, depth + 1)];
  });
  const inItems = items ? rowsOf(items, `${path}[]`, depth + 1) : [];
  const inValues = values && typeof values === 'object' ? rowsOf(values, `${path}.<key>`, depth + 1) : [];
  return [...members, ...inItems, ...inValues];
}

function rowOf(path: string, schema: Schema, isRequired: boolean): string[] {
  return [`\`${path}\``, typeOf(schema), isRequired ? 'always' : 'if known', schema.description ?? ''];
}

function typeOf({ type, enum: values, items, additionalProperties: inner, anyOf }: Schema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${items.type ?? 'values'}`;
  if (inner && typeof inner === 'object' && inner.type === 'object') return 'map';
  return String(type ?? 'any');
}

/** The paths with which `getdata` reads the images of a step; `<key>` is the key of the step. */
export const IMAGE_PATHS: readonly (readonly [path: string, what: string])[] = [
  ['documents/<key>/front/uncropped', 'the front of the document, as it was photographed'],
  ['documents/<key>/front/cropped', 'the front, cropped and upright'],
  ['documents/<key>/back/uncropped', 'the back, as it was photographed'],
  ['documents/<key>/back/cropped', 'the back, cropped and upright'],
  ['documents/<key>/portrait', 'the portrait, cropped from the document'],
  ['faces/<key>/image', 'the picture of the face'],
  ['faces/<key>/frame<number>', 'a picture of the active challenge, from `frame1` on'],
];

export function renderUserData(): string {
  const head = ['member', 'type', 'present', 'what it is'];
  const table = (schema: unknown) => tableOf(head, rowsOf(schema as Schema));
  return `# User data

${GENERATED}

What an instance stores about a person, member by member. [Results](results.md) explains when to read what.
After a [redaction](privacy.md#redaction), the response is 410 with code 100364.

## The shape

\`GET /api/userdata-server/processDefinitions/{processDefnId}/processInstances/{processInstanceId}/userdata\`. \`<key>\` is the
\`key\` of the step in the definition, such as \`doc1\`.

${table(api.userData.get.ok)}

## Checks

\`GET …/userdata/checks\` is a list of these:

${table((api.userData.listChecks.ok as Schema).items)}

## Paths of images

\`GET …/getdata?path=<path>\` returns an image as base64 in JSON, or with \`Accept: image/*\` as bytes. \`images\` of \`userdata\` lists the
paths that an instance has, which are those of the last attempt of each step.

${tableOf(
  ['path', 'image'],
  IMAGE_PATHS.map(([path, what]) => [`\`${path}\``, what]),
)}
`;
}
