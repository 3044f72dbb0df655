import { setTimeout as wait } from 'node:timers/promises';
import { openChallengePage } from '../../packages/server/test/challenge.ts';
import { startJourney } from '../../packages/server/test/end-user.ts';
import type { TestApp } from '../../packages/server/test/harness.ts';
import type { Attack } from './attack-list.ts';
import type { Faces } from './faces.ts';

export type TrialResult = { readonly outcome: 'accepted' | 'review' | 'refused'; readonly novelty: number | null };

/** One attempt, and only its liveness: what the document says is measured elsewhere. */
const DEFINITION = {
  name: 'attacked',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'active', maxAttempts: 1 },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW', onUncertain: 'REVIEW' },
  ],
};
const MAX_LOOKS = 1200;
const LOOK_MS = 50;

export async function openTrial(app: TestApp) {
  const token = await app.token();
  const made = await app.client.processDefinitions.create({ body: DEFINITION as never });
  await app.call(`/api/process-manager/processDefinitions/${made.id}/deploy`, { method: 'POST' });

  return {
    async run(attack: Attack, faces: Faces, at: number): Promise<TrialResult> {
      const { user, processInstanceId: id } = await startJourney(app, app.apiKey, { processDefnName: 'attacked' });
      const player = attack.play(faces, at);
      let open = '';
      const challenge = await openChallengePage(user, 'selfie', app.clock).answer((instruction) => {
        const now = app.clock.now();
        if (open !== `${instruction.token} ${instruction.phase}`) player.follow(instruction, now - 300);
        open = `${instruction.token} ${instruction.phase}`;
        return player.frame(now);
      });
      if (challenge.state !== 'DONE') return { outcome: 'refused', novelty: null };
      await user.submit('selfie', { challengeId: challenge.challengeId });
      for (let looks = 0; looks < MAX_LOOKS && (await user.look()).waitingFor === 'check'; looks += 1)
        await wait(LOOK_MS);
      const { body: instance } = await app.call(`/api/process-manager/processInstances/${id}`, { token });
      const place = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${id}`;
      const { body: checks } = await app.call(`${place}/userdata/checks`, { token });
      const liveness = checks.find(({ name }: { name: string }) => name === 'liveness');
      const outcome = liveness?.status === 'PASSED' ? 'accepted' : liveness?.status === 'FAILED' ? 'refused' : 'review';
      return { outcome, novelty: liveness?.metaData?.measures?.novelty ?? null };
    },
  };
}
