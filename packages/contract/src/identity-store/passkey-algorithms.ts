import { Type } from '../type.ts';

/** The algorithms that a passkey may sign with. */
export const ALGORITHMS = [-7, -8, -35, -36, -37, -38, -39, -47, -48, -49, -50, -257, -258, -259] as const;
export const Algorithm = Type.Unsafe<(typeof ALGORITHMS)[number]>({
  type: 'integer',
  enum: [...ALGORITHMS],
  description:
    'COSE: -7 ES256, -8 EdDSA, -35 ES384, -36 ES512, -37 PS256, -38 PS384, -39 PS512, -47 ES256K, -48 ML-DSA-44, -49 ML-DSA-65, -50 ML-DSA-87, -257 RS256, -258 RS384, -259 RS512',
});
