/**
 * A map that holds at most `max` entries, in two generations. When the young one is full, the old one is dropped: up to half
 * of the entries at once, those that were neither set nor read for longest.
 */
export type BoundedMap<K, V> = {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  readonly size: number;
};

/** How much the entries may weigh together, where a caller from outside decides how large one is. */
export type Weights<V> = { readonly max: number; of(value: V): number };

export function boundedMap<K, V>(max: number, weights?: Weights<V>): BoundedMap<K, V> {
  // Two generations instead of a linked list: a hit costs one look-up, and a full young generation becomes the old one.
  const half = Math.max(1, Math.floor(max / 2));
  const halfWeight = (weights?.max ?? Number.POSITIVE_INFINITY) / 2;
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  let weight = 0;
  const set = (key: K, value: V) => {
    young.set(key, value);
    // An entry that is replaced counts twice; then the generation is over a little sooner.
    if (weights) weight += weights.of(value);
    if (young.size >= half || weight >= halfWeight) {
      old = young;
      young = new Map();
      weight = 0;
    }
  };
  return {
    get(key) {
      const hit = young.get(key);
      if (hit !== undefined) return hit;
      const aged = old.get(key);
      if (aged !== undefined) {
        old.delete(key);
        set(key, aged);
      }
      return aged;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    get size() {
      return young.size + old.size;
    },
  };
}
