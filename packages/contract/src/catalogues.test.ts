import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from './api.ts';
import { IMAGE_PATHS } from './catalogue-user-data.ts';
import { exampleOf, renderCatalogues, renderLlms } from './catalogues.ts';
import { adviceOf } from './error-advice.ts';
import { catalogue, type ErrorCode } from './errors.ts';
import { WEBHOOK_EVENTS } from './notification-service.ts';
import { addressesOf } from './operation.ts';
import { buildPostman } from './postman.ts';
import { FURTHER_PERMISSIONS } from './process-manager/cloud-secrets.ts';
import { InstanceStatus } from './process-manager/parameters.ts';

const pages = renderCatalogues();
const pageOf = (name: string) => pages[name] ?? '';

test('the catalogues name every event, every permission and every code', () => {
  for (const type of WEBHOOK_EVENTS) {
    assert.ok(pageOf('events.md').includes(`| [\`${type}\`](#`), type);
    assert.ok(pageOf('events.md').includes(`"type": "${type}"`), type);
  }
  for (const { operation } of operations()) {
    if (operation.permission)
      assert.ok(pageOf('permissions.md').includes(`| \`${operation.permission}\` |`), operation.permission);
  }
  for (const permission of Object.keys(FURTHER_PERMISSIONS))
    assert.ok(pageOf('permissions.md').includes(`| \`${permission}\` |`), permission);
  for (const code of Object.keys(catalogue)) {
    assert.ok(pageOf('error-codes.md').includes(`\n| ${code} |`), code);
    assert.notEqual(adviceOf(Number(code) as ErrorCode), '', `${code} has a cause and what to do`);
  }
});

test('the example of each event has the shape of its kind and no personal data', () => {
  for (const type of WEBHOOK_EVENTS) {
    const { data, ...sent } = exampleOf(type) as { type: string; data: Record<string, unknown> };
    assert.equal(sent.type, type);
    assert.deepEqual([data.tenantId, data.environment], ['acme', 'live']);
    if (type.startsWith('instance.')) assert.ok(typeof data.status === 'string' && typeof data.sequence === 'number');
    if (type.startsWith('identity.')) assert.equal(data.storeName, 'customers');
    for (const name of ['firstName', 'lastName', 'email']) assert.ok(!(name in data));
  }
});

test('llms.txt lists every operation and links the documentation, the reference and the schemas', () => {
  const text = renderLlms();
  assert.match(text, /^# Grove\n\n> /);
  for (const { operation } of operations()) assert.ok(text.includes(`- ${operation.method} ${operation.path}: `));
  for (const address of ['/openapi.json', '/docs/', '/docs/reference/', '/schemas/process-definition.json'])
    assert.ok(text.includes(`(${address})`));
});

test('the pages of statuses and of user data name every status and every member', () => {
  for (const status of (InstanceStatus as unknown as { enum: string[] }).enum)
    assert.ok(pageOf('statuses.md').includes(`| \`${status}\` |`), status);
  for (const member of [
    'documents.<key>.biographicData[].values.mrzValue',
    '_assurance.level',
    'documents.<key>.images.<key>.path',
  ]) {
    assert.ok(pageOf('user-data.md').includes(`| \`${member}\` |`), member);
  }
  for (const [path] of IMAGE_PATHS) assert.ok(pageOf('user-data.md').includes(`\`${path}\``), path);
});

test('the Postman collection has every operation of a back end, with its address, its path variables and a valid body', () => {
  type Item = {
    name: string;
    request: { method: string; url: { raw: string; variable: unknown[] }; body?: { raw: string } };
  };
  const { item, info } = buildPostman({ version: '1.2.3' }) as { item: { item: Item[] }[]; info: { schema: string } };
  assert.match(info.schema, /v2\.1\.0/);
  const requests = item.flatMap((folder) => folder.item);
  const sent = new Set(requests.map(({ request }) => `${request.method} ${request.url.raw}`));
  const wanted = operations().filter(({ operation }) => operation.permission ?? operation.auth === 'apiKey');
  for (const { operation } of wanted) {
    for (const { path } of addressesOf(operation)) {
      const address = `${operation.method} {{baseUrl}}${path.replace(/\{(\w+)\}/g, ':$1')}`;
      assert.ok(sent.has(address), address);
    }
  }
  for (const { request, name } of requests) {
    assert.equal(request.url.variable.length, (request.url.raw.match(/\/:/g) ?? []).length, name);
    if (request.body) JSON.parse(request.body.raw);
  }
});
