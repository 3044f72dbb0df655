import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { embedFace } from '../../packages/vision/src/faces/analyse.ts';
import { loadEmbedder } from '../../packages/vision/src/load-face-models.ts';
import { FACE_MODELS } from '../../packages/vision/src/model-names.ts';
import { loadModels } from '../../packages/vision/src/models.ts';
import { median } from '../numbers.ts';

export type PipelineTimes = {
  pipelineMs: number;
  modelsMs: number;
  pipelineRatio: number;
  pipelineRatioByCpu: number;
};

/** The runs that one picture takes: the mirror image of a face is aligned and embedded as well. */
const RUNS = ['detect', 'landmark', 'feature', 'landmark', 'feature'] as const;
const MAX_PICTURES = 200;
/** Runs that are not counted: the compiler has not finished yet, as it has in a running server. */
const WARM_UP = 50;

/**
 * Compares the whole pipeline, from bytes to vector, with the runs of the models alone, picture by picture in turn, so that
 * other work on the machine slows down both. The ratio by processor time hardly depends on other work.
 */
export async function measurePipeline(files: readonly string[]): Promise<PipelineTimes> {
  sharp.concurrency(1);
  sharp.cache(false);
  const bare = await loadModels([...new Set(RUNS)]);
  const models = { ...bare, embedder: await loadEmbedder() };
  const inputs = RUNS.map((key) => ({
    run: bare[key],
    input: new Float32Array(FACE_MODELS[key].input.reduce((product, side) => product * side, 1)).fill(0.1),
  }));
  const every = Math.max(1, Math.floor(files.length / MAX_PICTURES));
  const chosenFiles = files.filter((_, at) => at % every === 0).slice(0, MAX_PICTURES);
  for (let at = 0; at < WARM_UP; at += 1)
    await embedFace(readFileSync(chosenFiles[at % chosenFiles.length] as string), models);
  const rounds: { pipeline: TimeSpent; models: TimeSpent }[] = [];
  for (const file of chosenFiles) {
    const bytes = readFileSync(file);
    const pipeline = await timed(() => embedFace(bytes, models));
    const alone = await timed(async () => {
      for (const { run, input } of inputs) await run(input);
    });
    rounds.push({ pipeline, models: alone });
  }
  return {
    pipelineMs: median(rounds.map(({ pipeline }) => pipeline.ms)),
    modelsMs: median(rounds.map((round) => round.models.ms)),
    pipelineRatio: median(rounds.map((round) => round.pipeline.ms / round.models.ms)),
    pipelineRatioByCpu: sum(rounds.map(({ pipeline }) => pipeline.cpu)) / sum(rounds.map((round) => round.models.cpu)),
  };
}

type TimeSpent = { ms: number; cpu: number };

async function timed(work: () => Promise<unknown>): Promise<TimeSpent> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpu: user + system };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
