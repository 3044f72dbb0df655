import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Checks rules about the code that Biome and dependency-cruiser do not have. Each message says what to do. */
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;

/** Participles and other words that do not say what a name holds (docs/words.md). No name may be one of them alone. */
const VAGUE = new Set(
  `acted added answered asked begun buried carried caught chosen counted drawn ended entered explained followed found
  gathered given gone got handed happened heard held hurried judged kept known lent loaded looked lost made meant met
  named needed noted picked place placed read refused said seen sent settled shown sought spent started stated taken
  tied told tried wanted worked written`.split(/\s+/),
);

const STEP_TYPES = stepTypes();

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /^packages\/[a-z-]+\/src\/.*\.tsx?$/.test(file) && !/\.(test|check|generated|d)\.tsx?$/.test(file));

const faults: string[] = [];
for (const file of files) check(file);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function check(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return; // The file was deleted, but git still lists it.
  }
  const lines = text.split('\n').length - 1;
  if (lines > MAX_FILE_LINES) faults.push(`${file}: ${lines} lines; split it, at most ${MAX_FILE_LINES}`);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const isOfServer = file.startsWith('packages/server/src/');

  const visit = (node: ts.Node): void => {
    const at = `${file}:${lineOf(node.getStart(source))}`;
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const length = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      if (length > MAX_FUNCTION_LINES) {
        faults.push(`${at}: ${nameOf(node)} has ${length} lines; split it, at most ${MAX_FUNCTION_LINES}`);
      }
    }
    const declared = declaredName(node);
    if (declared && VAGUE.has(declared.toLowerCase())) {
      faults.push(`${at}: ${declared} does not say what it holds; see docs/words.md`);
    }
    if (isOfServer && !file.startsWith('packages/server/src/db/') && asksForEngine(node)) {
      faults.push(`${at}: only db/ asks for the engine; ask a capability of the database`);
    }
    if (isOfServer && !file.includes('/engine/steps/') && listsStepTypes(node)) {
      faults.push(`${at}: lists types of steps by name; make it a member of StepType`);
    }
    if (spreadsLiteral(node)) faults.push(`${at}: spreads an object or a list that is written here; write its members`);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Finds `...{ one, other }` and `...[one, other]`, which have no purpose but to change the formatting. */
function spreadsLiteral(node: ts.Node): boolean {
  const isSpread = ts.isSpreadAssignment(node) || ts.isSpreadElement(node) || ts.isJsxSpreadAttribute(node);
  if (!isSpread) return false;
  let { expression } = node;
  while (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression)) expression = expression.expression;
  return ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression);
}

/** The name under which the function is declared or assigned. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name && ts.isIdentifier(node.name)) return node.name.text;
  const { parent } = node;
  return 'name' in parent && parent.name && ts.isIdentifier(parent.name as ts.Node)
    ? (parent.name as ts.Identifier).text
    : 'a function';
}

function declaredName(node: ts.Node): string | undefined {
  const isName =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isName && node.name && ts.isIdentifier(node.name) ? node.name.text : undefined;
}

/** Finds comparisons such as `engine === 'sqlite'`. */
function asksForEngine(node: ts.Node): boolean {
  return (
    ts.isBinaryExpression(node) &&
    [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(
      node.operatorToken.kind,
    ) &&
    [node.left, node.right].some((side) => ts.isStringLiteral(side) && /^(sqlite|postgres)$/.test(side.text))
  );
}

/** Finds lists of at least two types of steps, and comparisons of `step.type` with one. */
function listsStepTypes(node: ts.Node): boolean {
  if (ts.isArrayLiteralExpression(node)) {
    const names = node.elements.filter((element) => ts.isStringLiteral(element) && STEP_TYPES.has(element.text));
    return names.length > 1 && names.length === node.elements.length && /STEP|TYPE/.test(node.parent.getText());
  }
  if (!ts.isBinaryExpression(node) || !/^[!=]==$/.test(node.operatorToken.getText())) return false;
  const ofStep = (side: ts.Node) => /\b[sS]tep\.type$/.test(side.getText());
  const aType = (side: ts.Node) => ts.isStringLiteral(side) && STEP_TYPES.has(side.text);
  return (ofStep(node.left) && aType(node.right)) || (ofStep(node.right) && aType(node.left));
}

/** Reads the types of steps from the list in the registry. */
function stepTypes(): ReadonlySet<string> {
  const path = new URL('../packages/server/src/process-manager/engine/steps/registry.ts', import.meta.url);
  const [, list = ''] = /new Map\(\s*\[([^\]]*)\]/.exec(readFileSync(path, 'utf8')) ?? [];
  return new Set(list.match(/\w+/g));
}
