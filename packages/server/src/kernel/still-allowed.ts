import type { Context, Principal } from './context.ts';
import { ApiError } from './errors.ts';

/** Whether the caller of a request that is still being answered could make it now. */
export type MayStillCall = (principal: Principal, permission: string) => Promise<boolean>;

/**
 * Ensures, between two parts of a long file, that its reader still holds every permission for it; refuses with 7. A token
 * that expires meanwhile does not end the file, because it was valid when the file began.
 */
export function stillAllowed(
  mayStillCall: MayStillCall,
  { principal }: Pick<Context, 'principal'>,
  permissions: readonly string[],
): () => Promise<void> {
  const { expiresAt: _expiresAt, ...lasting } = principal;
  return async () => {
    for (const permission of permissions) {
      if (!(await mayStillCall(lasting, permission))) throw new ApiError(7);
    }
  };
}
