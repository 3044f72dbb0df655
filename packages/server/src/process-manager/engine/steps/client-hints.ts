import { Type } from '@grove/contract';

const MAX_HINTS = 20;

/** What a client says of itself: it can say what it likes, so it is noted, sealed with the rest, and never believed. */
export const clientHints = Type.Record(
  Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{0,39}$' }),
  Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
  { maxProperties: MAX_HINTS, description: 'What the client knows of its camera, such as `cameraLabel`' },
);
