import { api, MAX_SHOWN_SESSIONS, type Ok } from '@grove/contract';
import type { Audit } from '../../audit/audit.ts';
import type { TenantReads } from '../../db/db.ts';
import { implement } from '../../kernel/implement.ts';
import { ensureUnredacted, ensureVisible } from '../instances/ensure-visible.ts';
import { findInstance } from '../instances/process-instances.repository.ts';
import { sessionsOf } from '../instances/sessions.repository.ts';

export type SessionDeps = {
  audit: Pick<Audit, 'noteRead'>;
  /** The messages to the end user of an instance. */
  messagesTo(db: TenantReads, instanceId: string): Promise<Ok<typeof api.instanceSessions.list>['messages']>;
};

/** Shows the browsers and networks in which the journey of an instance was used, and the messages to its end user. */
export function sessionHandlers({ audit, messagesTo }: SessionDeps) {
  return implement(api.instanceSessions, {
    async list(context, { params }) {
      const { db } = context;
      const instance = ensureUnredacted(ensureVisible(context, await findInstance(db, params.processInstanceId)));
      const sessions = await sessionsOf(db, instance.id);
      audit.noteRead(context, { action: 'instance.sessionsRead', instanceId: instance.id });
      return { sessions: sessions.slice(0, MAX_SHOWN_SESSIONS), messages: await messagesTo(db, instance.id) };
    },
  });
}
