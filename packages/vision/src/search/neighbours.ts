/** Finds likely neighbours in a graph, without comparing with all. */
export type NeighbourIndex = {
  put(id: string, vector: Float32Array): void;
  remove(id: string): void;
  nearest(query: Float32Array, count: number): string[];
};

/** With these settings, the nearest by the index was always the nearest of all on real faces (`docs/vision.md`). */
const CONNECTIVITY = 16;
const EXPANSION_ADD = 128;
const EXPANSION_SEARCH = 256;

/** Loaded only when needed, because some platforms have no binary of it. */
export async function openNeighbourIndex(vectorLength: number): Promise<NeighbourIndex> {
  const { Index, MetricKind, ScalarKind } = await import('usearch');
  const index = new Index({
    dimensions: vectorLength,
    metric: MetricKind.IP,
    quantization: ScalarKind.F16,
    connectivity: CONNECTIVITY,
    expansion_add: EXPANSION_ADD,
    expansion_search: EXPANSION_SEARCH,
    multi: false,
  });
  const idOf = new Map<bigint, string>();
  const keyOf = new Map<string, bigint>();
  let nextKey = 1n;

  function remove(id: string): void {
    const key = keyOf.get(id);
    if (key === undefined) return;
    index.remove(key);
    keyOf.delete(id);
    idOf.delete(key);
  }

  function put(id: string, vector: Float32Array): void {
    remove(id);
    const key = nextKey;
    nextKey += 1n;
    index.add(key, vector, 1);
    keyOf.set(id, key);
    idOf.set(key, id);
  }

  function nearest(query: Float32Array, count: number): string[] {
    const limit = Math.min(count, keyOf.size);
    if (limit === 0) return [];
    return Array.from(index.search(query, limit, 1).keys).flatMap((key) => idOf.get(key) ?? []);
  }

  return { put, remove, nearest };
}
