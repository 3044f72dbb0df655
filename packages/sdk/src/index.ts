export type { IdentityWebhook, InstanceWebhook } from '@grove/contract';
export { type ClientOptions, createClient } from './client.ts';
export { type ConnectionFault, GroveConnectionError, GroveError, type InputFault, isGroveError } from './errors.ts';
export type { Arguments, Binary, CallOptions, Client, Method, Redirect, Result, User } from './types.ts';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookToVerify,
  WebhookVerificationError,
} from './verify-webhook.ts';
