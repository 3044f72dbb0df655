import { Type } from 'typebox';
import { get, group } from '../operation.ts';
import { likeFilter, page, pageQuery } from '../page.ts';
import { DateTime, Id, named, oneOf } from '../schema.ts';

/** Secrets that steps and webhooks use (specification 4.11). */

const CloudSecret = named(
  'CloudSecret',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: oneOf('STRING', 'NUMBER', 'BINARY'),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
  }),
);

export const cloudSecrets = group('/api/process-manager/cloudSecrets', {
  list: get('', {
    summary: 'List cloud secrets',
    description: 'Values can be written but never read, so none is here.',
    permission: 'ProcessManager:listCloudSecrets',
    query: pageQuery({ name: likeFilter('secrets whose name') }),
    ok: page(CloudSecret),
  }),
});
