import {
  dimsOf,
  floatsOf,
  halfTensor,
  intAttribute,
  intOf,
  intsAttribute,
  type ModelFile,
  type OnnxNode,
  readModelFile,
  stringAttribute,
  withContribOps,
  writeModelFile,
} from './model-file.ts';

/**
 * The same network with convolutions in numbers of 16 bits, channels last. Everything between them stays in 32 bits. A
 * processor that multiplies eight such numbers at once takes about half the time. Only ONNX Runtime has this operator
 * (`NhwcFusedConv` of its own domain), and only for such processors: elsewhere the network cannot be opened.
 */
export function narrow(bytes: Uint8Array): Uint8Array {
  const file = withContribOps(readModelFile(bytes));
  const narrowNames = new Map<string, string>();
  for (const conv of file.nodes.filter(({ op }) => op === 'Conv')) {
    if (isWorthwhile(file, conv)) replace(file, conv, narrowNames);
  }
  return writeModelFile(file);
}

/** With fewer channels, an operator for eight of them at once is slower than the one for single numbers. */
const LEAST_CHANNELS = 8;
/** The largest number of 16 bits. */
const LARGEST = 65_504;

/** Weights are constants in range, and channels are either all mixed or not at all. */
function isWorthwhile({ tensors }: ModelFile, conv: OnnxNode): boolean {
  const [weights, bias] = conv.inputs.slice(1).map((name) => tensors.get(name));
  if (!weights || (conv.inputs.length > 2 && !bias)) return false;
  const [outputs = 0, channels = 0, ...sides] = dimsOf(weights);
  const groups = intOf(conv, 'group') ?? 1;
  const hasRoom = groups === 1 ? channels >= LEAST_CHANNELS : groups === outputs && channels === 1;
  const fits = [weights, bias].every(
    (tensor) => !tensor || floatsOf(tensor)?.every((value) => Math.abs(value) < LARGEST),
  );
  return sides.length === 2 && hasRoom && fits;
}

/** `narrowNames`: the planes that are already 16-bit numbers, and the names of the results. */
function replace(file: ModelFile, conv: OnnxNode, narrowNames: Map<string, string>): void {
  const [input, ...constants] = conv.inputs as [string, ...string[]];
  const [output] = conv.outputs as [string];
  const relu = reluBehind(file, output);
  const last = relu?.outputs[0] ?? output;
  const existingSource = narrowNames.get(input);
  const source = existingSource ?? `${input}.narrow`;
  narrowNames.set(input, source);
  const nodes: OnnxNode[] = [
    ...(existingSource === undefined ? narrowing(input, source) : []),
    {
      op: 'NhwcFusedConv',
      domain: 'com.microsoft',
      inputs: [source, ...constants.map((name) => narrowTensor(file, name))],
      outputs: [`${output}.last`],
      rest: [...conv.rest, ...(relu ? [stringAttribute('activation', 'Relu')] : [])],
    },
    ...widening(`${output}.last`, last),
  ];
  file.nodes = file.nodes.flatMap((node) => (node === conv ? nodes : node === relu ? [] : [node]));
}

const FLOAT = 1;
const FLOAT_16 = 10;

function narrowing(from: string, to: string): OnnxNode[] {
  return [
    { op: 'Cast', inputs: [from], outputs: [`${from}.cast`], rest: [intAttribute('to', FLOAT_16)] },
    { op: 'Transpose', inputs: [`${from}.cast`], outputs: [to], rest: [intsAttribute('perm', [0, 2, 3, 1])] },
  ];
}

function widening(from: string, to: string): OnnxNode[] {
  return [
    { op: 'Transpose', inputs: [from], outputs: [`${from}.first`], rest: [intsAttribute('perm', [0, 3, 1, 2])] },
    { op: 'Cast', inputs: [`${from}.first`], outputs: [to], rest: [intAttribute('to', FLOAT)] },
  ];
}

function narrowTensor({ tensors }: ModelFile, name: string): string {
  const tensor = tensors.get(name);
  const values = tensor && floatsOf(tensor);
  if (!values) throw new Error(`the tensor ${name} has no numbers`);
  tensors.set(`${name}.narrow`, halfTensor(dimsOf(tensor), values));
  return `${name}.narrow`;
}

/** The operator can do this itself, if nothing else uses the value before it. */
function reluBehind({ nodes, outputs }: ModelFile, name: string): OnnxNode | undefined {
  const users = nodes.filter(({ inputs }) => inputs.includes(name));
  return users.length === 1 && users[0]?.op === 'Relu' && !outputs.has(name) ? users[0] : undefined;
}
