import { AUDIT_ACTIONS, addressesOf, IDENTITY_EVENTS, operations, refusalCodes } from '@grove/contract';
import type { Plugin } from 'vite';

/**
 * The parts of the contract that the console needs: method, address and permission of each operation. They are
 * generated when the console is built, so they are never stale and no schema becomes part of a page.
 */
const MODULES: Readonly<Record<string, () => string>> = {
  'virtual:grove-routes': () => `export const routes = ${JSON.stringify(table())};`,
  'virtual:grove-actions': () => `export const auditActions = ${JSON.stringify(AUDIT_ACTIONS)};`,
  'virtual:grove-identity-events': () => `export const identityEvents = ${JSON.stringify(IDENTITY_EVENTS)};`,
  'virtual:grove-codes': () => `export const refusals = ${JSON.stringify(refusals())};`,
};

export function routes(): Plugin {
  return {
    name: 'grove-routes',
    resolveId: (id) => (Object.hasOwn(MODULES, id) ? `\0${id}` : undefined),
    load: (id) => (id.startsWith('\0') ? MODULES[id.slice(1)]?.() : undefined),
  };
}

function table(): Record<string, Record<string, readonly string[]>> {
  const groups: Record<string, Record<string, readonly string[]>> = {};
  for (const { group, name, operation } of operations()) {
    if (operation.auth === 'journey' || operation.auth === 'apiKey') continue;
    const [address] = addressesOf(operation);
    groups[group] ??= {};
    groups[group][name] = [operation.method, address?.path ?? '', operation.permission ?? ''];
  }
  return groups;
}

/** The reasons of refused authentications, by their codes. */
function refusals(): Record<string, string> {
  return Object.fromEntries(Object.entries(refusalCodes).map(([code, { message }]) => [code, message]));
}
