import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownTenant, shownUrl } from './addresses.ts';

const TENANT = 'http://demo.fir.localhost:8080';

test('on localhost the plain address is shown, because every resolver knows it', () => {
  const at = (host: string) => shownUrl({ host, domain: 'localhost' }, 8080, TENANT);
  assert.equal(at('localhost'), 'http://localhost:8080');
  assert.equal(at('127.0.0.1'), 'http://127.0.0.1:8080');
  assert.equal(at('::1'), 'http://[::1]:8080');
  for (const everywhere of ['0.0.0.0', '::']) assert.equal(at(everywhere), 'http://localhost:8080');
});

test('below a domain the address of the tenant is shown, or that of the server without a tenant', () => {
  const config = { host: '0.0.0.0', domain: 'id.example.com' };
  const tenant = 'https://demo.fir.id.example.com';
  assert.equal(shownUrl(config, 8080, tenant), tenant);
  assert.equal(shownUrl(config, 8080, null), 'http://localhost:8080');
});

test('the address of the tenant is shown once', () => {
  assert.equal(shownTenant('demo', TENANT, 'http://localhost:8080'), `demo (${TENANT})`);
  assert.equal(shownTenant('demo', TENANT, TENANT), 'demo');
  assert.equal(shownTenant('demo', null, null), 'demo');
});
