/** Counts current work by name. A name without work takes no memory. */
export type UnderWay = {
  count(name: string): number;
  /** Counts one more under each name, until the returned function is called. */
  enter(...names: string[]): () => void;
};

export function countUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.get(name) ?? 0;
  const change = (names: readonly string[], by: 1 | -1) => {
    for (const name of names) {
      const changed = count(name) + by;
      if (changed > 0) counts.set(name, changed);
      else counts.delete(name);
    }
  };
  return {
    count,
    enter(...names) {
      change(names, 1);
      return () => change(names, -1);
    },
  };
}
