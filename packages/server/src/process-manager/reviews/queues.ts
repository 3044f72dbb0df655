import { api } from '@grove/contract';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { waitingByDefinition } from './reviews.repository.ts';

/** The named queues of reviewers, by process definition. */
export function queueHandlers() {
  return implement(api.reviewQueues, {
    async list({ db, principal: { environment } }) {
      const { reviewQueues } = await findProcessSettings(db, environment);
      if (reviewQueues.length === 0) return { queues: [] };
      const waiting = await waitingByDefinition(db, environment);
      return {
        queues: reviewQueues.map(({ name, processDefnNames }) => {
          const own = [...new Set(processDefnNames)].flatMap((each) => waiting.get(each) ?? []);
          return {
            name,
            processDefnNames: [...processDefnNames],
            waiting: own.reduce((sum, { count }) => sum + count, 0),
            ...(own.length > 0 && { oldestDtm: toDtm(Math.min(...own.map(({ oldest }) => oldest))) }),
          };
        }),
      };
    },
  });
}

/** The process definitions of a queue. */
export async function definitionsOf({ db, principal }: Context, name: string): Promise<readonly string[]> {
  const { reviewQueues } = await findProcessSettings(db, principal.environment);
  const queue = reviewQueues.find((each) => each.name === name);
  if (!queue) throw invalidInput({ pointer: '/query/queue', message: 'is the name of no queue; see the settings' });
  return queue.processDefnNames;
}
