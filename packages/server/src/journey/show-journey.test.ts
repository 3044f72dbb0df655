import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stepTypes } from '../process-manager/engine/steps/registry.ts';
import { showJourney } from './show-journey.ts';

const SNAPSHOT_REST = {
  device: { active: true, handoff: 'NONE' },
  images: [],
  redirectUrl: undefined,
  homeUrl: undefined,
};

/** The preparation that the page of a journey shows for these types of steps. */
function preparationOf(...types: string[]) {
  const steps = types.map((type) => ({ id: type, type }));
  const look = {
    root: { id: '1', status: 'ACTIVE', environment: 'test' },
    definition: { definition: { steps, theme: 'default', retentionDays: 30 }, step: () => undefined },
    state: { flow: { done: {} }, data: {} },
  };
  const { stepTypes, needs, minutes } = showJourney(
    look as never,
    { ...SNAPSHOT_REST, tenantId: 'acme', tenantName: 'Acme' } as never,
  );
  return { stepTypes, needs, minutes };
}

it('a journey shows an honest estimate of its time, which is never zero', () => {
  assert.equal(preparationOf().minutes, 1);
  assert.equal(preparationOf('consent', 'document', 'face').minutes, 2);
  assert.equal(preparationOf('consent', 'form', 'document', 'face', 'switchDevice').minutes, 4);
});

it('a journey lists each item that the end user needs once, in a fixed order, as its step types declare', () => {
  const { needs, stepTypes: types } = preparationOf(
    'totpRegistration',
    'face',
    'document',
    'faceAuthentication',
    'http',
  );
  assert.deepEqual(needs, ['document', 'face', 'totp']);
  assert.deepEqual(types, ['totpRegistration', 'face', 'document', 'faceAuthentication']);
});

it('every step type that end users see has a user part with an estimate of its time', () => {
  for (const { type, kind, user } of stepTypes.values()) {
    assert.equal(user !== undefined, kind === 'user', type);
    if (user) assert.ok(user.seconds > 0, type);
  }
});
