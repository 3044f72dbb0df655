import { type Document, isNode, LineCounter, parseDocument } from 'yaml';

/** The content of a YAML or JSON file, with positions. */
export type ReadYaml = {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  placeOf(pointer: string): string;
};

const MAX_ALIASES = 100;

/** Every fault names the file, the line and the column. */
export function readYaml(file: string, text: string): ReadYaml | { readonly faults: readonly string[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const positionOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  if (document.errors.length > 0) {
    return { faults: document.errors.map(({ pos, message }) => `${positionOf(pos[0])} ${message}`) };
  }
  let value: unknown;
  try {
    // An alias that contains itself has no end, so it is no JSON.
    value = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: MAX_ALIASES })));
  } catch (error) {
    return { faults: [`${file}:1:1 ${(error as Error).message.split('\n')[0]}`] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { faults: [`${file}:1:1 must hold an object`] };
  }
  const placeOf = (pointer: string) => positionOf(offsetOf(document, pointer));
  return { file, value: value as Record<string, unknown>, placeOf };
}

/** The offset of the value that the pointer names, or else of the nearest existing parent. */
function offsetOf(document: Document, pointer: string): number {
  const path = pointer.split('/').slice(1);
  const names = path.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (let length = names.length; length > 0; length--) {
    const node = document.getIn(names.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
