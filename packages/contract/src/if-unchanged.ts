import { DateTime } from './schema.ts';
import { Type } from './type.ts';

/** A member of an answer that may be sent back as it was read. */
export const lastUpdated = {
  lastUpdatedDtm: Type.Optional(
    Type.String({ ...DateTime, description: 'When it was last changed. Present in responses; ignored in requests' }),
  ),
};

/** Lets a caller ensure that it does not overwrite a change that was stored after it read the object. */
export const IfUnchanged = Type.Object({
  ifLastUpdatedDtm: Type.Optional(
    Type.String({
      ...DateTime,
      description:
        'The `lastUpdatedDtm` that you read: the change is refused with 100351 if the object was changed since. An ' +
        'empty one is refused',
    }),
  ),
});
