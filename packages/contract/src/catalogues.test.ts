import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from './api.ts';
import { exampleOf, renderCatalogues, renderLlms } from './catalogues.ts';
import { catalogue } from './errors.ts';
import { WEBHOOK_EVENTS } from './notification-service.ts';

const page = renderCatalogues();

test('the catalogues name every event, every permission and every code', () => {
  for (const type of WEBHOOK_EVENTS) assert.ok(page.includes(`| \`${type}\` |`), type);
  for (const { operation } of operations()) {
    if (operation.permission) assert.ok(page.includes(`| \`${operation.permission}\` |`), operation.permission);
  }
  for (const code of Object.keys(catalogue)) assert.ok(page.includes(`\n| ${code} |`), code);
});

test('an example of each event has the shape of its kind, and nothing of a person', () => {
  for (const type of WEBHOOK_EVENTS) {
    const { data, ...sent } = exampleOf(type) as { type: string; data: Record<string, unknown> };
    assert.equal(sent.type, type);
    assert.deepEqual([data.tenantId, data.environment], ['acme', 'live']);
    if (type.startsWith('instance.')) assert.ok(typeof data.status === 'string' && typeof data.sequence === 'number');
    if (type.startsWith('identity.')) assert.equal(data.storeName, 'customers');
    for (const name of ['firstName', 'lastName', 'email']) assert.ok(!(name in data));
  }
});

test('llms.txt lists every operation and where the rest is', () => {
  const text = renderLlms();
  assert.match(text, /^# Grove\n\n> /);
  for (const { operation } of operations()) assert.ok(text.includes(`- ${operation.method} ${operation.path}: `));
  for (const address of ['/openapi.json', '/docs/', '/schemas/process-definition.json'])
    assert.ok(text.includes(`(${address})`));
});
