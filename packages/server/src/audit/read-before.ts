import type { RecordedAction } from '@grove/contract';
import { lockName } from '../db/named-lock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Load, type Params, type ReadInput, STORED_OBJECTS } from './stored-objects.ts';

type Operation = (context: Context, input: ReadInput) => unknown;

export type ReadBefore = (context: Context, action: RecordedAction, params: Params) => Promise<unknown>;

/** The handlers of the contract read it, in the transaction of the change. What is not there has no value before. */
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
      // The change itself says what is wrong.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

/**
 * Ensures that the record of one of two changes at once does not show the values of the other. The policies of an identity
 * store are a part of it, so the first parameter names the object. No other lock is held yet, so nobody waits in a circle.
 */
function lockObject({ db }: Context, action: RecordedAction, params: Params): Promise<void> {
  const [object = action] = Object.values(params);
  return db.write(async (tx) => lockName(tx, 'audited object', object));
}
