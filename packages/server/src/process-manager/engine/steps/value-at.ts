/** What stands at a JSON pointer; undefined if nothing does. Only an object's own members count. */
export function valueAt(document: unknown, pointer: string): unknown {
  let at = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
