import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from './address.ts';
import type { Route } from './route.ts';

const one: Route = { method: 'GET', paths: { none: '/api/keys/{keyId}' }, auth: 'bearer', status: 200 };
const twins: Route = {
  ...one,
  paths: {
    id: '/api/stores/{storeName}/users/{userId}/totps',
    ext: '/api/stores/{storeName}/users/{userExtId}/totps/ext',
  },
};
const ceremony: Route = { ...one, paths: { ...twins.paths, none: '/api/stores/{storeName}/totps' } };

test('encodes path parameters, so none can leave its segment', () => {
  assert.equal(addressOf('a.b', one, { keyId: 'a/b?c#d%2e é' }), '/api/keys/a%2Fb%3Fc%23d%252e%20%C3%A9');
});

test('a path parameter that would change the address is refused, without repeating it', () => {
  for (const keyId of ['', '.', '..', undefined, null, 7, '\ud800']) {
    assert.throws(() => addressOf('a.b', one, { keyId }), { name: 'TypeError', message: /^a\.b: keyId / });
  }
  assert.throws(() => addressOf('a.b', twins, { storeName: 's', user: { extId: '..' } }), {
    name: 'TypeError',
    message: /^a\.b: userExtId /,
  });
});

test('a user by id and a user by extId are the two twins of one method', () => {
  assert.equal(addressOf('a.b', twins, { storeName: 's', user: { id: 'u1' } }), '/api/stores/s/users/u1/totps');
  assert.equal(
    addressOf('a.b', twins, { storeName: 's', user: { extId: 'e/1' } }),
    '/api/stores/s/users/e%2F1/totps/ext',
  );
});

test('a user may be left out only where the operation finds out who it is', () => {
  assert.equal(addressOf('a.b', ceremony, { storeName: 's' }), '/api/stores/s/totps');
  assert.throws(() => addressOf('a.b', twins, { storeName: 's' }), { message: 'a.b: user is { id } or { extId }' });
  assert.throws(() => addressOf('a.b', one, { keyId: 'k', user: { id: 'u' } }), {
    message: 'a.b: this operation takes no user',
  });
});

test('a user that names nobody, or both ways at once, is refused rather than left out', () => {
  const user = {} as { id?: string };
  assert.throws(() => addressOf('a.b', ceremony, { storeName: 's', user }), { message: /exactly one of them/ });
  assert.throws(() => addressOf('a.b', ceremony, { storeName: 's', user: { id: 'u', extId: 'e' } }), TypeError);
  assert.throws(
    () => addressOf('a.b', ceremony, { storeName: 's', user: null as unknown as { id: string } }),
    TypeError,
  );
});

test('a query repeats the name for arrays and leaves out what is not given', () => {
  const query = { sort: ['name,asc', 'id,desc'], size: 5, active: false, name: undefined, other: null, empty: '' };
  assert.equal(
    addressOf('a.b', one, { keyId: 'k', query }),
    '/api/keys/k?sort=name%2Casc&sort=id%2Cdesc&size=5&active=false&empty=',
  );
  assert.equal(addressOf('a.b', one, { keyId: 'k', query: { name: undefined } }), '/api/keys/k');
});

test('a query value that is an object is refused rather than sent as [object Object]', () => {
  assert.throws(() => addressOf('a.b', one, { keyId: 'k', query: { name: { like: 'x' } } }), {
    name: 'TypeError',
    message: 'a.b: query.name must be plain values',
  });
});
