import { api, MAX_SHOWN_SESSIONS } from '@grove/contract';
import type { Audit } from '../../audit/audit.ts';
import { implement } from '../../kernel/implement.ts';
import { findInstance } from '../instances/process-instances.repository.ts';
import { sessionsOf } from '../instances/sessions.repository.ts';
import { unredacted, visible } from '../instances/visible.ts';

/** Shows from which browsers and networks the journey of an instance was used. */
export function sessionHandlers({ audit }: { audit: Pick<Audit, 'noteRead'> }) {
  return implement(api.instanceSessions, {
    async list(context, { params }) {
      const { db } = context;
      const instance = unredacted(visible(context, await findInstance(db, params.processInstanceId)));
      const sessions = await sessionsOf(db, instance.id);
      audit.noteRead(context, { action: 'instance.sessionsRead', instanceId: instance.id });
      return { sessions: sessions.slice(0, MAX_SHOWN_SESSIONS) };
    },
  });
}
