/** The rows of a table by name, without holes: the last row replaces a removed one. */
export type NamedRows = {
  /** The names, row by row. */
  readonly ids: readonly string[];
  rowOf(id: string): number | undefined;
  /** The row of this name; a new one at the end if there is none. */
  add(id: string): number;
  /** The free row and the last one, whose content moves into the free one. */
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
