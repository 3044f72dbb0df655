import { jsonParseLinter } from '@codemirror/lang-json';
import { ensureSyntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';

/** A fault in a JSON text, and its position. */
export type CodeFault = { readonly pointer: string; readonly message: string };
type Range = { readonly from: number; readonly to: number };
type Tree = NonNullable<ReturnType<typeof ensureSyntaxTree>>;
type Node = Tree['topNode'];

const PARSE_MS = 200;
const VALUES: ReadonlySet<string> = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

/** The range of the value that a JSON pointer names, or of the nearest existing one around it. */
export function rangeOfPointer(state: EditorState, pointer: string): Range {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  let node = tree && childrenOf(tree.topNode).find(({ name }) => VALUES.has(name));
  if (!node) return { from: 0, to: 0 };
  let range: Range = firstLineOf(state, node);
  for (const name of pointer.split('/').slice(1)) {
    const member: Node | undefined = memberOf(state, node, name.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (!member) break;
    range = firstLineOf(state, member);
    node = member.name === 'Property' ? (childrenOf(member).find((each) => VALUES.has(each.name)) ?? member) : member;
  }
  return range;
}

/** The markers of a text. A text that is not JSON has one marker, where the parser stopped. */
export function diagnosticsOf(state: EditorState, faults: readonly CodeFault[]): Diagnostic[] {
  const isJson = parseFaultsOf(state);
  if (isJson.length > 0) return isJson;
  return faults.map(({ pointer, message }) => ({ ...rangeOfPointer(state, pointer), severity: 'error', message }));
}

function parseFaultsOf(state: EditorState): Diagnostic[] {
  // The linter uses only the state of the view.
  return jsonParseLinter()({ state } as Parameters<ReturnType<typeof jsonParseLinter>>[0]) as Diagnostic[];
}

function memberOf(state: EditorState, node: Node, name: string): Node | undefined {
  const children = childrenOf(node);
  if (node.name === 'Array') return children.filter((each) => VALUES.has(each.name))[Number(name)];
  return children.find((each) => {
    const key = each.name === 'Property' ? each.getChild('PropertyName') : null;
    return key !== null && readText(state.sliceDoc(key.from, key.to)) === name;
  });
}

function readText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** The first line of a range: to underline a whole step would hide the fault. */
function firstLineOf(state: EditorState, { from, to }: Range): Range {
  return { from, to: Math.min(to, state.doc.lineAt(from).to) };
}
