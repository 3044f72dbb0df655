import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAKE_CAMERA, type Interaction, measureInteractions } from '../packages/journey/test/interactions.ts';
import { openStage } from '../packages/journey/test/stage.ts';

/**
 * Measures Interaction to Next Paint on every screen of a journey: Chromium is four times slower than this machine, taps and
 * keys are those of an end user, and the durations come from the Event Timing API.
 *
 *   node bench/interactions.ts
 */
const SLOWDOWN = 4;
const BAR_MS = 200;

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-interactions-'));
  const place = { engine: 'sqlite', folder, environment: { GROVE_DATA: folder } } as const;
  const stage = await openStage({ create: async () => place }, {}, FAKE_CAMERA);
  try {
    return report(await measureInteractions(stage, { slowdown: SLOWDOWN }));
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(interactions: readonly Interaction[]): number {
  let missed = 0;
  console.log(`| screen | taps and keys | slowest, ms (bar ${BAR_MS}) | of | processor, ms |`);
  console.log('| --- | --- | --- | --- | --- |');
  for (const screen of new Set(interactions.map((each) => each.screen))) {
    const here = interactions.filter((each) => each.screen === screen);
    const worst = here.reduce((one, other) => (other.paintMs > one.paintMs ? other : one));
    if (worst.paintMs > BAR_MS) missed += 1;
    const processor = Math.max(...here.map(({ processorMs }) => processorMs)).toFixed(0);
    console.log(`| ${screen} | ${here.length} | ${worst.paintMs.toFixed(0)} | ${worst.act} | ${processor} |`);
  }
  return missed;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
