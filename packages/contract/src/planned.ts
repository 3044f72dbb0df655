import type { Api, GroupName } from './api.ts';

/** `<group>.<name>` of an operation. */
export type OperationId = { [G in GroupName]: `${G}.${keyof Api[G] & string}` }[GroupName];

/**
 * The one place that lists what is not built yet: these groups and single operations answer 501 with code 100009, and
 * the OpenAPI document marks them. Each leaves the list in the change that serves it.
 */
export const planned = [] as const satisfies readonly (GroupName | OperationId)[];

export type Planned = (typeof planned)[number];

export function isPlanned(group: GroupName, name: string): boolean {
  return (planned as readonly string[]).some((each) => each === group || each === `${group}.${name}`);
}
