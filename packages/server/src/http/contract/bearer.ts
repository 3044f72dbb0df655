import { ApiError } from '../../kernel/errors.ts';

/** The token of `Authorization: Bearer <token>` (RFC 6750). */
export function bearerToken(authorization: string | undefined): string {
  if (!authorization) throw new ApiError(100008, { detail: 'send Authorization: Bearer <token>' });
  if (authorization.startsWith('Bearer ')) return authorization.slice(7);
  const match = /^bearer +(.*)$/i.exec(authorization);
  if (!match) throw new ApiError(100008, { detail: 'the Authorization header must be of the scheme Bearer' });
  return match[1] as string;
}
