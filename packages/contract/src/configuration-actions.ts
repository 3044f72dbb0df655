/**
 * How the audit log names the changes of a tenant's configuration: what its verifications are made of. An operation that
 * makes such a change says which in its row, and is recorded in the transaction of the change.
 */
export const CONFIGURATION_ACTIONS = [
  'apiKey.created',
  'apiKey.updated',
  'apiKey.deleted',
  'processDefinition.created',
  'processDefinition.updated',
  'processDefinition.deployed',
  'processDefinition.archived',
  'processDefinition.deleted',
  'processDefinition.tagAdded',
  'processDefinition.tagRemoved',
  'processSettings.updated',
  'cloudSecret.created',
  'cloudSecret.updated',
  'cloudSecret.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secretRotated',
  'customPage.uploaded',
  'customPage.deployed',
  'customPage.archived',
  'customPage.deleted',
  'theme.created',
  'theme.updated',
  'theme.deleted',
  'theme.assetUploaded',
  'identityStore.created',
  'identityStore.updated',
  'passkeyConfig.created',
  'passkeyConfig.updated',
  'appkeyConfig.created',
  'appkeyConfig.updated',
  'totpPolicy.created',
  'totpPolicy.updated',
  'pushPolicy.created',
  'pushPolicy.updated',
  'pushPolicy.deleted',
  'operator.invited',
  'operator.updated',
  'operator.removed',
  'operator.reset',
  'operator.sessionsEnded',
  'tenant.created',
  'tenant.suspended',
  'tenant.resumed',
  'job.retried',
  'operator.installationGranted',
  'operator.installationEnded',
  'operatorRole.created',
  'operatorRole.updated',
  'operatorRole.deleted',
  'singleSignOn.updated',
  'singleSignOn.removed',
  'shadowVersion.started',
  'shadowVersion.ended',
  'processInstance.resumeLinkCreated',
  'processInstance.cancelled',
] as const;

export type ConfigurationAction = (typeof CONFIGURATION_ACTIONS)[number];

/**
 * What persons do in the console beside that, to single users and links. If a back end does the same, the events of the
 * store tell of it, and `createdBy` of a link.
 */
export const OPERATOR_ACTIONS = [
  'processToken.created',
  'user.created',
  'user.updated',
  'user.deleted',
  'user.locked',
  'user.unlocked',
  'passkey.updated',
  'passkey.deleted',
  'appkey.updated',
  'appkey.deleted',
  'appkeyDevice.updated',
  'appkeyDevice.preferred',
  'appkeyDevice.notPreferred',
  'totp.deleted',
  'biometric.updated',
  'pushNotification.sent',
  'webhook.tested',
  'webhook.replayed',
] as const;

export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];
/** What the record of a call is named. */
export type RecordedAction = ConfigurationAction | OperatorAction;
