import { IfUnchanged } from '../if-unchanged.ts';
import { del, get, group, post } from '../operation.ts';
import { likeFilter, page, pageQuery } from '../page.ts';
import { DateTime, Id, listOf, nameText, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment } from './parameters.ts';

/** Secrets that steps and webhooks use (specification 4.11). */

const MAX_HOSTS = 50;
const Hosts = listOf(
  text(1, 255),
  MAX_HOSTS,
  'Where it may be sent: hosts such as `api.example.com` or `api.example.com:8443`. A secret without hosts is sent nowhere',
);

const CloudSecret = withTitle(
  'CloudSecret',
  Type.Object({
    id: Id,
    environment: Environment,
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: oneOf('STRING', 'NUMBER', 'BINARY'),
    hosts: listOf(
      Type.String(),
      MAX_HOSTS,
      'Where it may be sent; `*` for a secret that was created before secrets had hosts',
    ),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
    lastUsedDtm: Type.Optional(
      Type.String({
        ...DateTime,
        description: 'When the secret was last sent, to the hour; only in lists, and as long as the audit log is kept',
      }),
    ),
  }),
);

const SecretValue = text(1, 10_000, 'A number for NUMBER, base64 for BINARY; it can never be read again');

const CloudSecretInput = withTitle(
  'CloudSecretInput',
  Type.Object({
    name: nameText(1, 100, 'Letters, digits, `_` and `-`; unique in the tenant'),
    description: Type.Optional(text(0, 255)),
    type: Type.Optional(oneOf('STRING', 'NUMBER', 'BINARY')),
    value: SecretValue,
    hosts: Type.Optional(Hosts),
  }),
);

const CloudSecretChange = withTitle(
  'CloudSecretChange',
  Type.Object({
    description: Type.Optional(text(0, 255)),
    value: Type.Optional(SecretValue),
    hosts: Type.Optional(Hosts),
  }),
);

/** Permissions that a caller needs beside that of the operation, and what each allows. */
export const FURTHER_PERMISSIONS = {
  'ProcessManager:useCloudSecret': 'Name a cloud secret in a webhook, in an `http` step, or for single sign-on',
} as const;

export const cloudSecrets = group('/api/process-manager/cloudSecrets', {
  list: get('', {
    summary: 'List cloud secrets',
    description: 'Lists the secrets of the environment of the key. Values can be written but never read.',
    permission: 'ProcessManager:listCloudSecrets',
    query: pageQuery({ name: likeFilter('secrets whose name') }),
    ok: page(CloudSecret),
  }),
  create: post('', {
    summary: 'Create a cloud secret',
    description:
      'To name the secret in a webhook or in an `http` step, a caller also needs the permission ' +
      '`ProcessManager:useCloudSecret`. Grove sends the secret only to its `hosts`.',
    permission: 'ProcessManager:addCloudSecret',
    destructive: true,
    audit: 'cloudSecret.created',
    body: CloudSecretInput,
    ok: CloudSecret,
    status: 201,
    codes: [100014, 100065],
  }),
  update: post('/{cloudSecretId}', {
    summary: 'Change the value, the hosts or the description of a cloud secret',
    permission: 'ProcessManager:updateCloudSecret',
    destructive: true,
    audit: 'cloudSecret.updated',
    query: IfUnchanged,
    body: CloudSecretChange,
    ok: CloudSecret,
    codes: [100073, 100351],
  }),
  delete: del('/{cloudSecretId}', {
    summary: 'Delete a cloud secret permanently',
    permission: 'ProcessManager:deleteCloudSecret',
    destructive: true,
    audit: 'cloudSecret.deleted',
    status: 204,
    codes: [100073],
  }),
});
