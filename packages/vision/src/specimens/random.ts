/** Pseudo-random numbers in 0…1 that are the same for the same seed. */
export type Random = () => number;

/** The generator «mulberry32»: 32 bits of state, good enough for pictures and names, never for secrets. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A number between two others. */
export function within(random: Random, from: number, to: number): number {
  return from + random() * (to - from);
}

/** A random number around 0 like noise (a sum of uniform ones with deviation 1). */
export function noise(random: Random): number {
  return (random() + random() + random() - 1.5) * 2;
}
