import { addressesOf, operations } from '@grove/contract';
import type { Plugin } from 'vite';

/**
 * The contract as the console needs it: method, address and permission of each operation. It is made when the console is
 * built, so it cannot be stale, and no schema becomes part of a page.
 */
const ID = 'virtual:grove-routes';

export function routes(): Plugin {
  return {
    name: 'grove-routes',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? `export const routes = ${JSON.stringify(table())};` : undefined),
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
