import { addressesOf, type GroupedOperation } from './operation.ts';
import { SPECIFICATION_ROUTES } from './specification-routes.ts';

/** Which operations the specification names, and how strictly they are read. */

/** The specification and the contract name some path parameters differently, so only their places are compared. */
const placesOf = (route: string) => route.replace(/\{\w+\}/g, '{}');

const PLACES: ReadonlySet<string> = new Set(SPECIFICATION_ROUTES.map(placesOf));

export function isOfSpecification(operation: GroupedOperation): boolean {
  return addressesOf(operation).some(({ path }) => PLACES.has(placesOf(`${operation.method} ${path}`)));
}

/** They write policies and limits, or select what they return, export or delete: a member that is ignored there could open a hole. */
const NEVER_LENIENT: ReadonlySet<string> = new Set([
  'stores.create',
  'stores.update',
  'passkeys.createConfig',
  'passkeys.updateConfig',
  'appkeys.createConfig',
  'appkeys.updateConfig',
  'totps.createPolicy',
  'totps.updatePolicy',
  'pushNotifications.createPolicy',
  'pushNotifications.updatePolicy',
  'events.startQuery',
  'userData.archive',
  'appkeys.deregister',
  'totps.deregister',
]);

/** Whether a caller may ask that unknown members are ignored: see docs/decisions/2026-11-16-nothing-is-dropped.md. */
export function canBeLenient(id: string, operation: GroupedOperation): boolean {
  return isOfSpecification(operation) && operation.method !== 'DELETE' && !NEVER_LENIENT.has(id);
}

/**
 * Members that limit what something may do, whom it reaches, whom it is about or what a query returns. A name that resembles
 * one of them is never ignored, and neither is anything inside one of them.
 */
export const LIMITING_MEMBERS: ReadonlySet<string> = new Set([
  'maxCount',
  'notBeforeDtm',
  'notAfterDtm',
  'maxProcessDuration',
  'expiringDtm',
  'status',
  'type',
  'permissions',
  'sessionData',
  'challenge',
  'matchingProcess',
  'threshold',
  'internalThreshold',
  'policy',
  'authPolicyName',
  'devices',
  'parameters',
  'parentProcessDefnId',
  'parentProcessDefnName',
  'parentProcessDefnVersion',
  'parentProcessInstanceId',
  'childProcessDefnName',
  'childProcessDefnVersion',
  'childProcessDefnTag',
]);
