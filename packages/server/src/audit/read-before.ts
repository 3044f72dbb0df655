import type { RecordedAction } from '@grove/contract';
import { lockName } from '../db/named-lock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Load, type Params, type ReadInput, STORED_OBJECTS } from './stored-objects.ts';

type Operation = (context: Context, input: ReadInput) => unknown;

export type ReadBefore = (context: Context, action: RecordedAction, params: Params) => Promise<unknown>;

/**
 * Reads the object before a change with the handlers of the contract, in the transaction of the change. Undefined if it
 * does not exist.
 */
export function readingBefore(handlers: Readonly<Record<string, unknown>>): ReadBefore {
  const groups = handlers as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  return async (context, action, params) => {
    const stored = STORED_OBJECTS[action];
    if (!stored) return undefined;
    if (stored.compared.length > 0) await lockObject(context, action, params);
    const load: Load = async (group, name, input = {}) =>
      groups[group]?.[name]?.(context, { params: {}, query: {}, body: undefined, ...input });
    try {
      return await stored.read(load, params);
    } catch (error) {
      // The change fails with the same error.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

/**
 * Ensures that of two concurrent changes, the record of one does not show the values of the other. The policies of an
 * identity store are part of the store, so the first parameter names the object. The transaction holds no other lock
 * yet, so this cannot deadlock.
 */
function lockObject({ db }: Context, action: RecordedAction, params: Params): Promise<void> {
  const [object = action] = Object.values(params);
  return db.write(async (tx) => lockName(tx, 'audited object', object));
}
