import type { IdentityEventType } from './identity-store/events.ts';

/**
 * The types of the payloads of events; `type` says which one it is. A payload holds ids, statuses and codes, never personal
 * data. Every release may add members.
 */
type Common = { tenantId: string; environment: 'live' | 'test' };

export type InstanceEventType =
  | 'instance.created'
  | 'instance.started'
  | 'instance.stepSeen'
  | 'instance.stepLeft'
  | 'instance.stepCompleted'
  | 'instance.stepRetried'
  | 'instance.stepReopened'
  | 'instance.paused'
  | 'instance.review'
  | 'instance.approved'
  | 'instance.rejected'
  | 'instance.askedAgain'
  | 'instance.valueCorrected'
  | 'instance.reopened'
  | 'instance.childStarted'
  | 'instance.completed'
  | 'instance.terminated'
  | 'instance.redacted'
  | 'instance.deleted';

/** `step` is present if the event is about a step; `details` differ from event to event. */
export type InstanceEventData = Common & {
  processInstanceId: string;
  sequence: number;
  status: string;
  step?: string;
  processDefnId: string;
  processDefnName: string;
  processDefnVersion: number;
  details?: Record<string, unknown>;
};

export type IdentityEventData = Common & {
  eventId: string;
  storeName: string;
  userId?: string;
  modality?: string;
  code?: number;
  rpId?: string;
  parentProcessDefnId?: string;
  parentProcessDefnName?: string;
  parentProcessDefnVersion?: number;
  parentProcessInstanceId?: string;
};

export type ReadBudgetData = Common & {
  /** The id of the API key; if an operator has read the persons, that of the operator. */
  apiKeyId: string;
  apiKeyName: string;
  /** Only if an operator has read the persons: no API key is involved then. */
  operatorId?: string;
  operatorName?: string;
  persons: number;
  personsPerHour: number;
  blockedUntilDtm?: string;
};

type WebhookEnvelope<T extends string, D> = { id: string; type: T; timestamp: string; data: D };

export type InstanceWebhook = { [T in InstanceEventType]: WebhookEnvelope<T, InstanceEventData> }[InstanceEventType];
export type IdentityWebhook = { [T in IdentityEventType]: WebhookEnvelope<T, IdentityEventData> }[IdentityEventType];

/** A discriminated union over `type`. */
export type WebhookPayload =
  | InstanceWebhook
  | IdentityWebhook
  | WebhookEnvelope<'apiKey.readBudgetExceeded', ReadBudgetData>
  | WebhookEnvelope<'webhook.test', Record<string, unknown>>;
