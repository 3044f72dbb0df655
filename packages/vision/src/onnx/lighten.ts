import {
  dimsOf,
  floatAttribute,
  floatOf,
  floatsOf,
  floatTensor,
  intsOf,
  type ModelFile,
  type OnnxNode,
  readModelFile,
  writeModelFile,
} from './model-file.ts';

/**
 * The same network with fewer passes over its planes. The text networks (PP-LCNetV3) scale and shift what comes out of
 * each convolution, put it through `x · clip(x + 3, 0, 6) / 6`, written as four nodes, and scale and shift again: a fifth
 * of their time. Scales and shifts are worked into the weights, and the four nodes become two. Only rounding differs.
 */
export function lighten(bytes: Uint8Array): Uint8Array {
  const file = readModelFile(bytes);
  for (const conv of file.nodes.filter(({ op }) => op === 'Conv')) foldBehind(file, conv);
  for (const add of file.nodes.filter(({ op }) => op === 'Add')) shortenSwish(file, add);
  return writeModelFile(file);
}

/** `Conv(x) · scale + shift`. */
function foldBehind(file: ModelFile, conv: OnnxNode): void {
  const affine = affineBehind(file, conv);
  const weights = affine && weightsOf(file, conv);
  if (!affine || !weights) return;
  const { scale, shift, multiply, add } = affine;
  setWeights(file, conv, {
    ...weights,
    factors: weights.factors.map((value) => value * scale),
    bias: weights.bias.map((value) => value * scale + shift),
  });
  remove(file, multiply, add);
  conv.outputs = add.outputs;
}

/** `x · clip(x + 3, 0, 6) / 6` as `x · HardSigmoid(x)`. */
function shortenSwish(file: ModelFile, add: OnnxNode): void {
  const { other: x, scalar } = operandsOf(file, add);
  const clip = scalar === 3 ? onlyUser(file, add, 'Clip') : undefined;
  const multiply = clip && clipsToSix(file, clip) ? onlyUser(file, clip, 'Mul') : undefined;
  const divide = multiply && onlyUser(file, multiply, 'Div');
  if (!clip || !divide || x === undefined || !multiply.inputs.includes(x)) return;
  if (scalarOf(file, divide.inputs[1]) !== 6) return;
  const sigmoid = `${add.outputs[0]}.sigmoid`;
  const limits = [floatAttribute('alpha', 1 / 6), floatAttribute('beta', 0.5)];
  const product: OnnxNode = { op: 'Mul', inputs: [x, sigmoid], outputs: divide.outputs, rest: [] };
  const shorter = [{ op: 'HardSigmoid', inputs: [x], outputs: [sigmoid], rest: limits }, product];
  file.nodes = file.nodes.flatMap((node) => (node === divide ? shorter : [node]));
  remove(file, add, clip, multiply);
  foldAhead(file, product);
}

/** `Conv(x · scale + shift)`. */
function foldAhead(file: ModelFile, before: OnnxNode): void {
  const affine = affineBehind(file, before);
  const conv = affine && onlyUser(file, affine.add, 'Conv');
  const weights = conv && weightsOf(file, conv);
  if (!affine || !weights || affine.scale === 0) return;
  const { scale, shift, multiply, add } = affine;
  const [x] = before.outputs as [string];
  const factors = weights.factors.map((value) => value * scale);
  if (intsOf(conv, 'pads').some((side) => side > 0)) {
    // The convolution's border of zeros is not shifted, so the shift cannot move.
    const name = `${add.outputs[0]}.shift`;
    file.tensors.set(name, floatTensor([1], Float32Array.of(shift / scale)));
    add.inputs = [x, name];
    setWeights(file, conv, { ...weights, factors });
    remove(file, multiply);
    return;
  }
  const perOutput = weights.factors.length / weights.bias.length;
  const bias = weights.bias.map((value, output) => {
    const own = weights.factors.subarray(output * perOutput, (output + 1) * perOutput);
    return value + shift * own.reduce((sum, each) => sum + each, 0);
  });
  setWeights(file, conv, { ...weights, factors, bias });
  conv.inputs = [x, ...conv.inputs.slice(1)];
  remove(file, multiply, add);
}

type Weights = { readonly dims: readonly number[]; readonly factors: Float32Array; readonly bias: Float32Array };

/** The weights of a convolution, if they are constants. A missing bias is zero. */
function weightsOf({ tensors }: ModelFile, { inputs }: OnnxNode): Weights | undefined {
  const [, name = '', biasName] = inputs;
  const tensor = tensors.get(name);
  const factors = tensor && floatsOf(tensor);
  const [outputs = 0, ...sides] = tensor ? dimsOf(tensor) : [];
  const biasTensor = biasName === undefined ? undefined : tensors.get(biasName);
  const bias = biasName === undefined ? new Float32Array(outputs) : biasTensor && floatsOf(biasTensor);
  if (!factors || bias?.length !== outputs) return undefined;
  return { dims: [outputs, ...sides], factors, bias };
}

/** Stores the weights under new names, because other nodes may use the same tensors. */
function setWeights({ tensors }: ModelFile, conv: OnnxNode, { dims, factors, bias }: Weights): void {
  const name = `${conv.outputs[0]}.weights`;
  tensors.set(name, floatTensor(dims, factors));
  tensors.set(`${name}.bias`, floatTensor([bias.length], bias));
  conv.inputs = [conv.inputs[0] as string, name, `${name}.bias`];
}

type Affine = { readonly scale: number; readonly shift: number; readonly multiply: OnnxNode; readonly add: OnnxNode };

/** A multiplication by one number and an addition of one, after a node with no other user. */
function affineBehind(file: ModelFile, node: OnnxNode): Affine | undefined {
  const multiply = onlyUser(file, node, 'Mul');
  const add = multiply && onlyUser(file, multiply, 'Add');
  if (!multiply || !add) return undefined;
  const { scalar: scale } = operandsOf(file, multiply);
  const { scalar: shift } = operandsOf(file, add);
  return scale === undefined || shift === undefined ? undefined : { scale, shift, multiply, add };
}

/** The node that uses the output of another one, if it is its only user and of this kind. */
function onlyUser({ nodes, outputs }: ModelFile, { outputs: [name] }: OnnxNode, op: string): OnnxNode | undefined {
  if (name === undefined || outputs.has(name)) return undefined;
  const users = nodes.filter(({ inputs }) => inputs.includes(name));
  return users.length === 1 && users[0]?.op === op ? users[0] : undefined;
}

/** The number among the two inputs of a node, and the name of the other input. */
function operandsOf(file: ModelFile, { inputs }: OnnxNode): { other?: string; scalar?: number } {
  const [one, two] = inputs;
  const [first, second] = [scalarOf(file, one), scalarOf(file, two)];
  if (one === undefined || two === undefined) return {};
  if (second !== undefined) return { other: one, scalar: second };
  return first === undefined ? {} : { other: two, scalar: first };
}

function scalarOf({ tensors }: ModelFile, name: string | undefined): number | undefined {
  const tensor = name === undefined ? undefined : tensors.get(name);
  const values = tensor && floatsOf(tensor);
  return values?.length === 1 ? values[0] : undefined;
}

/** Older files have the limits as attributes. */
function clipsToSix(file: ModelFile, clip: OnnxNode): boolean {
  const [, least, most] = clip.inputs;
  return (scalarOf(file, least) ?? floatOf(clip, 'min')) === 0 && (scalarOf(file, most) ?? floatOf(clip, 'max')) === 6;
}

function remove(file: ModelFile, ...removed: readonly OnnxNode[]): void {
  file.nodes = file.nodes.filter((node) => !removed.includes(node));
}
