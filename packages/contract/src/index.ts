export { type Api, api, type GroupName, type ListedOperation, operations } from './api.ts';
export { ApiKey } from './arthr.ts';
export { IMAGE_PATHS } from './catalogue-user-data.ts';
export { renderLlms } from './catalogues.ts';
export { CONFIGURATION_ACTIONS, OPERATOR_ACTIONS, type RecordedAction } from './configuration-actions.ts';
export { CONFIGURATION_FILES, configurationSchema } from './configuration-schemas.ts';
export {
  appkeyCodes,
  type CatalogueEntry,
  catalogue,
  codesOf,
  type ErrorCode,
  faceCodes,
  generalCodes,
  groveCodes,
  passkeyCodes,
  refusalCodes,
  totpCodes,
} from './errors.ts';
export { MAX_QUEUE_COUNTED } from './health.ts';
export { IDENTITY_EVENTS, type IdentityEventType } from './identity-store/events.ts';
export { User } from './identity-store/users.ts';
export { MAX_QUEUES_LISTED } from './installation.ts';
export { WEBHOOK_EVENTS } from './notification-service.ts';
export { buildOpenApi, type OpenApiDocument, renderOpenApi } from './openapi.ts';
export { declaredStatuses, takesIdempotencyKey } from './openapi-problems.ts';
export {
  type Access,
  type Address,
  addressesOf,
  type Body,
  del,
  type GroupedOperation,
  get,
  group,
  type Method,
  needsBody,
  type Ok,
  type Operation,
  ofUser,
  type Params,
  type Permission,
  paramNames,
  post,
  type Query,
  type Row,
  type UserBy,
} from './operation.ts';
export { MAX_OPERATOR_NAME_LENGTH, MAX_PASSKEYS_PER_OPERATOR } from './operators.ts';
export { isPage, likeFilter, MAX_PAGED_ITEMS, page, pageQuery } from './page.ts';
export { MAX_FOUND_OF_PERSON } from './person-requests.ts';
export { buildPostman } from './postman.ts';
export { MAX_INPUT_ERRORS, Problem, Refusal } from './problem.ts';
export { AUDIT_ACTIONS } from './process-manager/audit.ts';
export { MAX_INSTANCE_LINKS, MAX_SHOWN_MESSAGES, MAX_SHOWN_SESSIONS } from './process-manager/case-work.ts';
export { FURTHER_PERMISSIONS } from './process-manager/cloud-secrets.ts';
export { DefinitionDocument, MAX_CONDITION_LENGTH, MAX_STEPS } from './process-manager/definitions.ts';
export { EXPORT_HOURS, MAX_EXPORT_ROWS } from './process-manager/exports.ts';
export {
  MAX_PARAMETER_LENGTH,
  MAX_PARAMETERS,
  MAX_PARAMETERS_BYTES,
  RESERVED_PARAMETERS,
  RESERVED_PREFIX,
} from './process-manager/parameters.ts';
export { MAX_DUE_COUNTED, MAX_PURGED_AT_ONCE } from './process-manager/retention.ts';
export { MAX_SHADOW_VERSIONS } from './process-manager/shadow-versions.ts';
export { MAX_CHANGED_LISTED } from './process-manager/what-if.ts';
export { MAX_VIEWS_PER_OPERATOR } from './saved-views.ts';
export * from './schema.ts';
export { marksPersonal, PERSONAL } from './schema.ts';
export { canBeLenient, isOfSpecification, LIMITING_MEMBERS } from './specification.ts';
export { SPECIFICATION_ROUTES } from './specification-routes.ts';
export { JOURNEY_LANGUAGES, MAX_PAGE_ARCHIVE_BYTES, MAX_THEME_ASSET_BYTES } from './theme-server.ts';
export { Type } from './type.ts';
export { MAX_WATCHLIST_IMAGE_BYTES, MAX_WATCHLIST_SIZE } from './watchlist-manager.ts';
export type { IdentityWebhook, InstanceWebhook, WebhookPayload } from './webhook-payloads.ts';
