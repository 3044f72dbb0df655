import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asTenantId } from './ids.ts';
import { permissionSet, withoutTenant } from './permissions.ts';

const ACME = asTenantId('acme');
const setOf = (...permissions: string[]) =>
  permissionSet(
    ACME,
    permissions.map((each) => `TNT#acme#${each}`),
  );

const OPERATIONS = ['Arthr:get', 'Arthr:list', 'ArthrServer:listTenantApiKeys', 'Process:start', 'Process:startAll'];
const permission = () =>
  fc.oneof(
    fc.constantFrom(...OPERATIONS),
    fc.tuple(fc.constantFrom(...OPERATIONS), fc.nat(12)).map(([operation, end]) => `${operation.slice(0, end)}*`),
  );

describe('a set of permissions', () => {
  it('a set of permissions contains the permissions that it names, exactly, and none that only begins or ends like one', () => {
    const set = setOf('Process:start');
    assert.ok(set.holds('Process:start'));
    for (const other of ['Process:startAll', 'Process:star', 'process:start', 'Process:start*', 'Process:*', '*', '']) {
      assert.ok(!set.holds(other), other);
    }
  });

  it('a set of permissions contains every permission that one of its wildcards matches', () => {
    assert.ok(setOf('*').holds('Process:start'));
    assert.ok(setOf('Process*').holds('ProcessManager:start'));
    assert.ok(setOf('Process:*').holds('Process:start'));
    assert.ok(!setOf('Process:*').holds('ProcessManager:start'));
    assert.ok(setOf('Process:start*').holds('Process:startAll'));
    assert.ok(!setOf('Process:start*').holds('Process:stop'));
  });

  it('a set of permissions contains a wildcard only by a wildcard that is as wide', () => {
    assert.ok(setOf('*').holds('*'));
    assert.ok(setOf('Arthr*').holds('Arthr:*'));
    assert.ok(!setOf('Arthr:*').holds('Arthr*'));
    assert.ok(!setOf(...OPERATIONS).holds('Arthr*'));
    assert.ok(!setOf('Arthr*', 'Process*').holds('*'));
  });

  it('a set of permissions ignores those that belong to another tenant or to no tenant', () => {
    const foreign = [
      'TNT#other#*',
      'TNT#acme2#*',
      'TNT#acm#*',
      'TNT#*',
      'TNT#acme*',
      'tnt#acme#*',
      '*',
      'Arthr:get',
      'ORG#acme#*',
    ];
    const set = permissionSet(ACME, foreign);
    for (const operation of [...OPERATIONS, '*', '']) assert.ok(!set.holds(operation), operation);
  });

  it('an empty set of permissions contains none', () => {
    for (const operation of [...OPERATIONS, '*', '']) assert.ok(!setOf().holds(operation));
  });

  it('a set of permissions never loses a permission by an addition', () => {
    fc.assert(
      fc.property(fc.array(permission()), fc.array(permission()), permission(), (some, more, single) => {
        if (setOf(...some).holds(single)) assert.ok(setOf(...some, ...more).holds(single));
      }),
    );
  });

  it('a set of permissions with a wildcard contains everything that its parts would contain', () => {
    fc.assert(
      fc.property(fc.array(permission()), permission(), permission(), (some, wide, single) => {
        const set = setOf(...some);
        if (set.holds(wide) && setOf(wide).holds(single)) assert.ok(set.holds(single));
      }),
      { numRuns: 1000 },
    );
  });

  it('a set of permissions contains each of its own, so a caller can grant all that it has', () => {
    fc.assert(
      fc.property(fc.array(permission(), { minLength: 1 }), (some) => {
        const set = setOf(...some);
        for (const each of some) assert.ok(set.holds(withoutTenant(`TNT#acme#${each}`)));
      }),
    );
  });
});
