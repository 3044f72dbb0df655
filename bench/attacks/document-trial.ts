import { openChallengePage } from '../../packages/server/test/challenge.ts';
import { type EndUser, startJourney } from '../../packages/server/test/end-user.ts';
import type { TestApp } from '../../packages/server/test/harness.ts';
import type { Recording } from '../../packages/vision/test/recording.ts';
import {
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentKindName,
  type Order,
  type Picture,
} from './document-kinds.ts';
import { type DocumentMaterial, personAt } from './document-material.ts';

export type DocumentTrialResult = {
  readonly outcome: 'accepted' | 'review' | 'refused';
  /** The signs against the document: names of checks with their reasons. */
  readonly signs: readonly string[];
  /** Whether the authenticity or the consistency of the document is in doubt. */
  readonly alarm: boolean;
};

/** Definitions that come with the server. */
export const TRIED_DEFINITIONS = ['document-only', 'age-check', 'kyc', 'document-and-selfie'] as const;

const MAX_STEPS = 12;
/** Photographs of one document: where another one is requested, a person takes it, and so does an attacker. */
const MAX_SHOTS = 2;
const DETAILS = { address: '1 Harbour Street, Dublin', country: 'Ireland' };
const ALARMS = ['documentAuthenticity', 'documentConsistency'];

export type DocumentTrialOptions = Order & {
  readonly definition: (typeof TRIED_DEFINITIONS)[number];
  readonly material: DocumentMaterial;
  /** Answers challenges, where the definition asks for a face. */
  readonly recording?: Recording | undefined;
};

type Check = { readonly name: string; readonly type: string; readonly status: string; readonly reason?: string };

/** Presents documents to a real server, as an end user who does what the pages ask for. */
export function openDocumentTrial(app: TestApp, options: DocumentTrialOptions) {
  const { definition, material, recording } = options;
  let allowed: boolean | undefined;

  async function allowSpecimens(allowSpecimens: boolean): Promise<void> {
    if (allowed === allowSpecimens) return;
    await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens } });
    allowed = allowSpecimens;
  }

  /** Submits one step. */
  async function doStep(user: EndUser, step: { id: string; type: string }, picture: Picture): Promise<void> {
    const results: Record<string, object> = { consent: { accepted: true }, form: DETAILS };
    let result = results[step.type] ?? {};
    if (step.type === 'document') {
      for (const [side, jpeg] of Object.entries(Buffer.isBuffer(picture) ? { front: picture } : picture)) {
        const image = { method: 'POST', body: jpeg as never, headers: { 'content-type': 'image/jpeg' } };
        const answer = await user.call(`/steps/${step.id}/images/${side}`, image);
        if (answer.status !== 200) throw new Error(answer.text);
      }
    }
    if (step.type === 'face') {
      if (!recording) throw new Error(`${definition} asks for a face`);
      const { challengeId } = await openChallengePage(user, step.id, app.clock).answer(recording.actor().frame);
      result = { challengeId };
    }
    const { status, text } = await user.submit(step.id, result);
    if (status !== 200) throw new Error(text);
  }

  return {
    /** Returns undefined if this kind cannot be made from this document. */
    async run(name: DocumentKindName, at: number): Promise<DocumentTrialResult | undefined> {
      const kind: DocumentKind = DOCUMENT_KINDS[name];
      let picture = await kind.picture(material, at, options);
      if (!picture) return undefined;
      await allowSpecimens(!kind.refusesSpecimens);
      const parameters = kind.expects?.(personAt(at, options)) ?? {};
      const started = await startJourney(app, app.apiKey, { processDefnName: definition, parameters });
      const { user, token, processInstanceId: id } = started;
      let now = await user.settled(app.clock);
      const attemptedSteps = new Set<string>();
      let shot = 0;
      for (let steps = 0; now.step && steps < MAX_STEPS; steps += 1) {
        if (attemptedSteps.has(now.step.id)) {
          shot += 1;
          if (now.step.type !== 'document' || shot >= MAX_SHOTS) break;
          picture = (await kind.picture(material, at, { ...options, shot })) ?? picture;
        }
        attemptedSteps.add(now.step.id);
        await doStep(user, now.step, picture);
        now = await user.settled(app.clock);
      }
      const { processDefnId, status } = (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
      const instancePath = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${id}`;
      const checks: Check[] = (await app.call(`${instancePath}/userdata/checks`, { token })).body;
      return toResult(status, checks);
    },
  };
}

function toResult(status: string, checks: readonly Check[]): DocumentTrialResult {
  const bad = checks.filter((check) => check.status === 'FAILED' || check.status === 'REVIEW');
  const signs = bad.map(({ name, reason }) => `${name} ${reason}`);
  const outcome = status === 'COMPLETED_ENDED_SUCCESS' ? 'accepted' : status === 'REVIEW' ? 'review' : 'refused';
  return { outcome, signs: [...new Set(signs)], alarm: bad.some(({ name }) => ALARMS.includes(name)) };
}
