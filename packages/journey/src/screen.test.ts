import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Journey } from './api.ts';
import { screenOf } from './screen.ts';

const STEP = { id: 'consent', type: 'consent', attempt: 1, maxAttempts: 1, triesLeft: 1, settings: {}, images: [] };
const journey = (over: Partial<Journey>): Journey => ({
  processInstanceId: 'i',
  environment: 'test',
  tenantName: 'Acme',
  status: 'ACTIVE',
  statusMapped: 'In Progress',
  revision: 1,
  progress: { position: 1, total: 3 },
  correctable: [],
  stepTypes: ['consent'],
  needs: [],
  minutes: 1,
  retentionDays: 30,
  themeUrl: '/t',
  device: { active: true, handoff: 'NONE' },
  ...over,
});
const LOCAL = { hasStarted: false, offering: false };

it('the start screen is not shown again once it was read or a step was done', () => {
  assert.equal(screenOf(journey({ step: STEP }), LOCAL), 'start');
  assert.equal(screenOf(journey({ step: STEP }), { ...LOCAL, hasStarted: true }), 'step');
  assert.equal(screenOf(journey({ step: STEP, progress: { position: 2, total: 3 } }), LOCAL), 'step');
  assert.equal(screenOf(journey({ step: { ...STEP, attempt: 2 } }), LOCAL), 'step');
});

it('a journey without a step waits, and says so if it is paused', () => {
  assert.equal(screenOf(journey({ waitingFor: 'check' }), LOCAL), 'waiting');
  assert.equal(screenOf(journey({ waitingFor: 'resume' }), LOCAL), 'paused');
});

it('a phone must confirm first, and sees nothing before', () => {
  assert.equal(screenOf(journey({ step: STEP, device: { active: false, handoff: 'CONFIRMING' } }), LOCAL), 'confirm');
});

it('the first device offers, follows along, and takes the journey to its end', () => {
  assert.equal(screenOf(journey({ step: STEP }), { hasStarted: true, offering: true }), 'handOff');
  const watching = { active: false, handoff: 'CONNECTED' } as const;
  assert.equal(screenOf(journey({ step: STEP, device: watching }), LOCAL), 'watching');
  assert.equal(screenOf(journey({ result: { outcome: 'passed' }, device: watching }), LOCAL), 'result');
});

it('on the phone of a hand-off it goes on where the first device was', () => {
  const device = { active: true, handoff: 'CONNECTED' } as const;
  assert.equal(screenOf(journey({ step: STEP, device }), LOCAL), 'step');
});

it('the phone of a hand-off refers to the first device in the end', () => {
  const device = { active: true, handoff: 'CONNECTED' } as const;
  assert.equal(screenOf(journey({ result: { outcome: 'passed' }, device }), LOCAL), 'returnToFirst');
});

it('a browser whose journey another one has taken over says where it continues', () => {
  assert.equal(screenOf(journey({ step: STEP, device: { active: false, handoff: 'NONE' } }), LOCAL), 'elsewhere');
});
