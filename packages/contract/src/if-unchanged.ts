import { DateTime } from './schema.ts';
import { Type } from './type.ts';

/** So that nobody overwrites what somebody else has stored meanwhile. */
export const IfUnchanged = Type.Object({
  ifLastUpdatedDtm: Type.Optional(
    Type.String({
      ...DateTime,
      description: 'The `lastUpdatedDtm` of what was read: refused with 100351 if somebody has changed it since',
    }),
  ),
});
