import { get, group, post } from '../operation.ts';
import { DateTime, Empty, Id, oneOf, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment } from './parameters.ts';

/** The deletion of instances whose retention has ended, and the receipts of deletions. All of it is ours. */

/** The most instances that one call deletes. */
export const MAX_PURGED_AT_ONCE = 500;
/** A preview stops counting here. */
export const MAX_DUE_COUNTED = 100_000;

const RetentionPreview = withTitle(
  'RetentionPreview',
  Type.Object({
    due: Type.Integer({ description: `How many instances would be deleted now; counted to ${MAX_DUE_COUNTED}` }),
    inReview: Type.Integer({ description: 'How many of them still wait for a review' }),
    oldestCreatedDtm: Type.Optional(DateTime),
    oldestExpiringDtm: Type.Optional(DateTime),
    clockFault: Type.Optional(Type.String({ description: 'Why nothing is deleted at the moment' })),
  }),
);

const RetentionRun = withTitle(
  'RetentionRun',
  Type.Object({
    purged: Type.Integer({ description: `How many instances were deleted, at most ${MAX_PURGED_AT_ONCE}` }),
    left: Type.Integer({ description: 'How many instances are still due: call again until this is 0' }),
  }),
);

export const retention = group('/api/process-manager/retention', {
  preview: get('/preview', {
    summary: 'Preview which instances would be deleted because their retention has ended',
    description: 'Concerns the environment of the API key. Changes nothing.',
    permission: 'ProcessManager:previewRetention',
    ok: RetentionPreview,
  }),
  run: post('/run', {
    summary: 'Delete the instances whose retention has ended, without waiting for midnight',
    description:
      'Concerns the environment of the API key, the oldest instances first. Nothing is deleted while the clocks of ' +
      'the server and the database differ by more than five minutes.',
    permission: 'ProcessManager:runRetention',
    destructive: true,
    body: Empty,
    ok: RetentionRun,
    codes: [100080],
  }),
});

const Erasure = withTitle(
  'Erasure',
  Type.Object({
    processInstanceId: Id,
    processDefnId: Id,
    environment: Environment,
    state: Type.Unsafe<'ERASING' | 'ERASED'>({
      ...oneOf('ERASING', 'ERASED'),
      description: 'ERASING: the key and the rows are deleted, but not yet all images. ERASED: confirmed',
    }),
    reason: Type.Unsafe<'REQUEST' | 'RETENTION' | 'REDACTION'>({
      ...oneOf('REQUEST', 'RETENTION', 'REDACTION'),
      description:
        'Deleted through the API, or because its retention had ended; or only its personal data was deleted (REDACTION)',
    }),
    createdDtm: DateTime,
    deletedDtm: DateTime,
    deletedBy: Type.String(),
    rowsRemoved: Type.Integer(),
    blobsRemoved: Type.Integer(),
    confirmedDtm: Type.Optional(DateTime),
    receipt: Type.Optional(
      Type.String({ description: 'All of this, signed: a JWS that `/.well-known/jwks.json` verifies' }),
    ),
  }),
);

export const erasures = group('/api/process-manager/erasures', {
  get: get('/{processInstanceId}', {
    summary: 'Get the receipt of an erasure',
    description:
      'Exists for every deleted or redacted process instance. The receipt is present when everything is deleted.',
    permission: 'ProcessManager:getErasure',
    ok: Erasure,
    codes: [100081],
  }),
});
