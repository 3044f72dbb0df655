/**
 * The seed of everything random in the tests: the inputs of fast-check, and the moment when a process is killed. It is always
 * the same, so that a failure can be repeated; `TEST_SEED=$RANDOM` gives other inputs.
 */
const DEFAULT_SEED = 20_261_116;

export const TEST_SEED = Number(process.env.TEST_SEED ?? DEFAULT_SEED);

/** Numbers from 0 to 1, the same ones for the same seed (Mulberry32). */
export function seededRandom(seed = TEST_SEED): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
