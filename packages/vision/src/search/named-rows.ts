/** The rows of a table by name, without holes: the last row takes the place of a removed one. */
export type NamedRows = {
  /** Row by row. */
  readonly ids: readonly string[];
  rowOf(id: string): number | undefined;
  /** The row of this name; a new one at the end if it has none. */
  add(id: string): number;
  /** Which row is free now, and which one was the last: what is in that one belongs into the free one. */
  remove(id: string): { readonly free: number; readonly last: number } | undefined;
};

export function newNamedRows(most: number): NamedRows {
  const ids: string[] = [];
  const rows = new Map<string, number>();
  return {
    ids,
    rowOf: (id) => rows.get(id),
    add(id) {
      const existingRow = rows.get(id);
      if (existingRow !== undefined) return existingRow;
      if (ids.length >= most) throw new RangeError(`a gallery holds ${most} faces at most`);
      rows.set(id, ids.length);
      return ids.push(id) - 1;
    },
    remove(id) {
      const free = rows.get(id);
      if (free === undefined) return undefined;
      const last = ids.length - 1;
      const lastId = ids[last] as string;
      ids[free] = lastId;
      rows.set(lastId, free);
      ids.pop();
      rows.delete(id);
      return { free, last };
    },
  };
}
