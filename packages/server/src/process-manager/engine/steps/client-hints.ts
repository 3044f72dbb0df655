import { Type } from '@grove/contract';

const MAX_HINTS = 20;

/** The client's report about itself. It can report anything, so it is never trusted; it is stored sealed. */
export const clientHints = Type.Record(
  Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{0,39}$' }),
  Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
  { maxProperties: MAX_HINTS, description: 'What the client knows about its camera, such as `cameraLabel`' },
);
