declare module 'virtual:grove-routes' {
  /** By group and name: method, address, permission (empty if there is none). */
  export const routes: Record<string, Record<string, readonly [method: string, path: string, permission: string]>>;
}

declare module 'virtual:grove-codes' {
  /** Why an authentication was refused, in English, by its code. */
  export const refusals: Record<string, string>;
}

declare module 'virtual:grove-actions' {
  /** What the audit trail records. */
  export const auditActions: string[];
}

declare module 'virtual:grove-identity-events' {
  import type { IdentityEventType } from '@grove/contract';

  export const identityEvents: IdentityEventType[];
}
