import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type FaceTemplate, openVision, type VisionOptions } from '@grove/vision';
import { quantile } from './statistics.ts';

export type Embedded = {
  templates: ReadonlyMap<string, FaceTemplate>;
  withoutFace: number;
  msMedian: number;
  msP95: number;
  /** The highest memory of the process minus its memory before, for each worker. */
  memoryMb: number;
  loopDelayMs: number;
};

/** A busy machine must not spoil a long run. */
const TIMEOUT_MS = 600_000;
/** The monitor sleeps this long between samples, and its values include it. */
const RESOLUTION_MS = 10;

/** Embeds the pictures with the engine as a server does: one picture at a time for each worker. */
export async function embedAll(
  files: readonly string[],
  workers: number,
  options: Pick<VisionOptions, 'pack' | 'weights'> = {},
): Promise<Embedded> {
  const before = process.memoryUsage.rss();
  const vision = await openVision({ workers, timeoutMs: TIMEOUT_MS, ...options });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const templates = new Map<string, FaceTemplate>();
  const times: number[] = [];
  let peak = 0;
  const waiting = [...files].reverse();
  const work = async () => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      const bytes = readFileSync(file);
      const started = performance.now();
      const { template } = await vision.embedFace(bytes);
      times.push(performance.now() - started);
      if (template) templates.set(file, template);
      peak = Math.max(peak, process.memoryUsage.rss());
      if (times.length % 500 === 0) console.error(`${times.length} of ${files.length} pictures`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  delay.disable();
  await vision.stop();
  return {
    templates,
    withoutFace: files.length - templates.size,
    msMedian: quantile(times, 0.5),
    msP95: quantile(times, 0.95),
    memoryMb: (peak - before) / workers / 1024 / 1024,
    loopDelayMs: (delay.percentile(99) - RESOLUTION_MS * 1e6) / 1e6,
  };
}
