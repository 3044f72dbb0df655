import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeSpecimen } from '@grove/vision';
import sharp from 'sharp';
import { openChallengePage } from '../../packages/server/test/challenge.ts';
import { startJourney } from '../../packages/server/test/end-user.ts';
import { openTestApp } from '../../packages/server/test/harness.ts';
import { openRecording, PORTRAIT_AT } from '../../packages/vision/test/recording.ts';
import { familyCpuMicros } from '../process-stats.ts';

/**
 * Measures the processor time of a whole live verification: a passport, a challenge and the match, through a real server in
 * this process. The time is that of this process and of its children. The first round starts everything and is not counted.
 */
const ROUNDS = Number(process.argv[2] ?? 3);
/** A page gets changes by a stream, so it never polls as often as this. */
const ASK_EVERY_MS = 500;
const VALID = { issueDate: '2020-01-01', expiryDate: '2029-12-31' };
const DEFINITION = {
  name: 'measured',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'document', type: 'document', key: 'doc1', accept: ['PASSPORT'] },
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'active' },
    { id: 'match', type: 'faceMatch', document: 'doc1', face: 'face1' },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW', onUncertain: 'REVIEW' },
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'grove-verification-'));
const recording = await openRecording();
const cut = { left: 120, top: 60, width: 170, height: 217 };
const portrait = await sharp(recording.at(PORTRAIT_AT)).extract(cut).jpeg().toBuffer();
const photograph = { tilt: 4, yaw: 5, noise: 2 };
const { jpeg } = await makeSpecimen({ kind: 'passport', seed: 3, person: VALID, portrait, photograph });
const app = await openTestApp(
  { engine: 'sqlite', folder, environment: { GROVE_DATA: folder } },
  { environment: { GROVE_VISION: 'eager' } },
);
try {
  // The passport is a specimen, which a live journey refuses by default.
  await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens: true } });
  const created = await app.client.processDefinitions.create({ body: DEFINITION as never });
  await app.call(`/api/process-manager/processDefinitions/${created.id}/deploy`, { method: 'POST' });
  const seconds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = processorSeconds();
    const parts = await verify();
    const used = processorSeconds() - before;
    if (round > 0) seconds.push(used);
    console.log(`${round === 0 ? 'first' : `round ${round}`}: ${used.toFixed(2)} s (${parts})`);
  }
  const sorted = seconds.toSorted((one, other) => one - other);
  console.log(`median of ${ROUNDS}: ${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(2)} processor seconds`);
} finally {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function verify(): Promise<string> {
  const { user } = await startJourney(app, app.apiKey, { processDefnName: 'measured' });
  const waitForChecks = async () => {
    for (let now = await user.look(); now.waitingFor === 'check'; now = await user.look()) await wait(ASK_EVERY_MS);
  };
  const start = processorSeconds();
  const headers = { 'content-type': 'image/jpeg' };
  await user.call('/steps/document/images/front', { method: 'POST', body: jpeg as never, headers });
  await user.submit('document');
  await waitForChecks();
  const afterReading = processorSeconds();
  const { challengeId, state } = await openChallengePage(user, 'selfie', app.clock).answer(recording.actor().frame);
  const moved = processorSeconds();
  await user.submit('selfie', { challengeId });
  await waitForChecks();
  const step = (from: number, to: number) => (to - from).toFixed(2);
  return `document ${step(start, afterReading)}, challenge ${state} ${step(afterReading, moved)}, judged and matched ${step(moved, processorSeconds())}`;
}

/** The processor time of this process with its threads, and of its children, also of those that have ended (Linux). */
function processorSeconds(): number {
  return (familyCpuMicros(process.pid) ?? 0) / 1_000_000;
}
