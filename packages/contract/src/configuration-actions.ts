/**
 * The names that the audit log gives to changes of a tenant's configuration. An operation that makes such a change names
 * it in its row (`audit`), and the event is stored in the transaction of the change.
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
 * What operators do in addition, to single users and links. If a back end does the same, the audit log has no event: the
 * events of the identity store record it, or `createdBy` of the link.
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
/** Every name that the record of a call can have. */
export type RecordedAction = ConfigurationAction | OperatorAction;
