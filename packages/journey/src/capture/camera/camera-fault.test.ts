import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cameraFaultOf, faultBeforeAsking } from './camera-fault.ts';

test('every failure of the Media Capture standard, and its older names, has a fault of its own', () => {
  const faults = {
    NotAllowedError: 'denied',
    PermissionDeniedError: 'denied',
    NotFoundError: 'notFound',
    DevicesNotFoundError: 'notFound',
    NotReadableError: 'inUse',
    TrackStartError: 'inUse',
    OverconstrainedError: 'unsuitable',
    ConstraintNotSatisfiedError: 'unsuitable',
    SecurityError: 'blocked',
    AbortError: 'aborted',
    TypeError: 'noApi',
    NotSupportedError: 'noApi',
  };
  for (const [name, fault] of Object.entries(faults)) assert.equal(cameraFaultOf({ name, message: '' }), fault, name);
});

test('a refusal by the system, a closed question and a forbidding page are distinguished from a refusal by the person', () => {
  const notAllowed = (message: string) => cameraFaultOf({ name: 'NotAllowedError', message });
  assert.equal(notAllowed('Permission denied by system'), 'deniedBySystem');
  assert.equal(notAllowed('Permission dismissed'), 'dismissed');
  assert.equal(notAllowed('Permission denied by permissions policy'), 'blocked');
  assert.equal(notAllowed('Permission denied'), 'denied');
});

test('an unknown error of the camera is the fault unknown', () => {
  for (const error of [undefined, null, 'no', 7, {}, { name: 'NewError' }]) {
    assert.equal(cameraFaultOf(error), 'unknown');
  }
});

test('a browser without cameras is told apart from a page without https', () => {
  assert.equal(faultBeforeAsking({ isSecure: true, hasCameras: true }), null);
  assert.equal(faultBeforeAsking({ isSecure: false, hasCameras: false }), 'insecure');
  assert.equal(faultBeforeAsking({ isSecure: true, hasCameras: false }), 'noApi');
});
