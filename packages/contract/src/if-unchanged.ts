import { DateTime } from './schema.ts';
import { Type } from './type.ts';

/** So that nobody overwrites what somebody else has stored meanwhile. */
export const IfUnchanged = Type.Object({
  ifLastUpdatedDtm: Type.Optional(
    Type.String({
      ...DateTime,
      description:
        'The `lastUpdatedDtm` that you read: the change is refused with 100351 if the object was changed since',
    }),
  ),
});
