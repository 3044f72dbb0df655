import { del, get, group, post } from '../operation.ts';
import { likeFilter, page, pageQuery } from '../page.ts';
import { DateTime, Id, named, oneOf, text } from '../schema.ts';
import { Type } from '../type.ts';

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

const SecretValue = text(1, 10_000, 'A number for NUMBER, base64 for BINARY; it can never be read again');

const CloudSecretInput = named(
  'CloudSecretInput',
  Type.Object({
    name: text(1, 100, 'Letters, digits, `_` and `-`; a name of its own in the tenant'),
    description: Type.Optional(text(0, 255)),
    type: Type.Optional(oneOf('STRING', 'NUMBER', 'BINARY')),
    value: SecretValue,
  }),
);

const CloudSecretChange = named(
  'CloudSecretChange',
  Type.Object({ description: Type.Optional(text(0, 255)), value: Type.Optional(SecretValue) }),
);

export const cloudSecrets = group('/api/process-manager/cloudSecrets', {
  list: get('', {
    summary: 'List cloud secrets',
    description: 'Values can be written but never read, so none is here.',
    permission: 'ProcessManager:listCloudSecrets',
    query: pageQuery({ name: likeFilter('secrets whose name') }),
    ok: page(CloudSecret),
  }),
  create: post('', {
    summary: 'Create a cloud secret',
    permission: 'ProcessManager:addCloudSecret',
    body: CloudSecretInput,
    ok: CloudSecret,
    status: 201,
    codes: [100014, 100065],
  }),
  update: post('/{cloudSecretId}', {
    summary: 'Change the value or the description of a cloud secret',
    permission: 'ProcessManager:updateCloudSecret',
    body: CloudSecretChange,
    ok: CloudSecret,
    codes: [100073],
  }),
  delete: del('/{cloudSecretId}', {
    summary: 'Delete a cloud secret for good',
    permission: 'ProcessManager:deleteCloudSecret',
    status: 204,
    codes: [100073],
  }),
});
