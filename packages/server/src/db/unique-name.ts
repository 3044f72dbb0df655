import { ApiError } from '../kernel/errors.ts';
import { isUniqueViolation } from './db.ts';

/** Ensures that no other object of the kind has the name: refuses with 100014 if the work violates the unique index. */
export async function ensureUniqueName<T>(noun: string, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `${JSON.stringify(name)} is the name of another ${noun}`;
    throw new ApiError(100014, { errors: [{ pointer: '/name', message }], cause: error });
  }
}
