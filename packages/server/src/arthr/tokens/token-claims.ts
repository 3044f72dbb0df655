/** The claims of a bearer token. */
export type TokenClaims = {
  iss: string;
  sub: string;
  aud: string;
  iat: number;
  nbf: number;
  exp: number;
  jti: string;
  tenantId: string;
  permissions: string[];
};

export const TOKEN_TTL_SECONDS = 3600;
export const TOKEN_TYPE = 'at+jwt';
export const TOKEN_ALG = 'EdDSA';
export const TOKEN_AUDIENCE = 'grove';
/** The clocks of two servers may differ by this much. */
export const CLOCK_SKEW_SECONDS = 60;
