export type SizeLimits = {
  readonly maxValues: number;
  readonly maxDepth: number;
  /** Limits the name of a member. A fault has a pointer, so a hundred faults below one long name would make a long answer. */
  readonly maxNameLength: number;
};

/**
 * Ensures that a JSON value from outside is no larger than the limits. It stops there and does not recurse, so that no
 * value can exhaust the time or the stack. Returns the fault.
 */
export function sizeFault(value: unknown, { maxValues, maxDepth, maxNameLength }: SizeLimits): string | undefined {
  const waiting = [{ value, depth: 0 }];
  let values = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth === maxDepth) return `must not be nested deeper than ${maxDepth}`;
    const members = next.value as Readonly<Record<string, unknown>>;
    // A list of all members of a large object would take longer than to stop at the limit.
    for (const name in members) {
      values += 1;
      if (values > maxValues) return `must not hold more than ${maxValues} values`;
      if (name.length > maxNameLength) return `must not have names of more than ${maxNameLength} characters`;
      const member = members[name];
      if (typeof member === 'object') waiting.push({ value: member, depth: next.depth + 1 });
    }
  }
  return undefined;
}
