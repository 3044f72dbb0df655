import {
  BYTES,
  bytesField,
  type Field,
  floatField,
  numberField,
  numberOf,
  readFields,
  stringField,
  stringOf,
  writeFields,
} from './wire.ts';

/** The parts of an ONNX file that we change (onnx.proto): nodes and tensors of its graph. The rest stays unchanged. */
export type ModelFile = {
  /** The nodes in an order in which they can run. */
  nodes: OnnxNode[];
  readonly tensors: Map<string, OnnxTensor>;
  /** The names of the outputs of the graph. */
  readonly outputs: ReadonlySet<string>;
  readonly rest: { readonly model: readonly Field[]; readonly graph: readonly Field[] };
};

/** `domain`: the owner of the operator, unless it is ONNX itself. `rest`: its name and its attributes. */
export type OnnxNode = {
  readonly op: string;
  readonly domain?: string;
  inputs: string[];
  outputs: string[];
  readonly rest: readonly Field[];
};

/** The fields of a tensor but its name. */
export type OnnxTensor = readonly Field[];

const FLOAT = 1;
const FLOAT_16 = 10;

/** The numbers of the fields in onnx.proto. */
const MODEL = { graph: 7, operators: 8 };
const GRAPH = { node: 1, tensor: 5, output: 12 };
const NODE = { input: 1, output: 2, op: 4, attribute: 5, domain: 7 };
const ATTRIBUTE = { name: 1, float: 2, int: 3, string: 4, tensor: 5, ints: 8, type: 20 };
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 };
const OPERATORS = { domain: 1, version: 2 };
const TENSOR = { dims: 1, type: 2, floats: 4, name: 8, raw: 9 };
const OUTPUT_NAME = 1;

export function readModelFile(bytes: Uint8Array): ModelFile {
  const model = readFields(bytes);
  const graph = readFields(bytesOf(model, MODEL.graph));
  const tensors = new Map(
    all(graph, GRAPH.tensor).map((each): [string, OnnxTensor] => {
      const fields = readFields(each);
      return [stringOf(bytesOf(fields, TENSOR.name)), without(fields, TENSOR.name)];
    }),
  );
  const nodes = all(graph, GRAPH.node).map(readNode);
  return {
    nodes: nodes.filter((node) => !isTensor(node, tensors)),
    tensors,
    outputs: new Set(all(graph, GRAPH.output).map((each) => stringOf(bytesOf(readFields(each), OUTPUT_NAME)))),
    rest: { model: without(model, MODEL.graph), graph: without(graph, GRAPH.node, GRAPH.tensor) },
  };
}

/** Some files write tensors as `Constant` nodes. Such a node is moved to the other tensors. */
function isTensor({ op, outputs, rest }: OnnxNode, tensors: Map<string, OnnxTensor>): boolean {
  const value = op === 'Constant' ? attributeOf(rest, 'value') : undefined;
  if (!value) return false;
  tensors.set(outputs[0] as string, without(readFields(bytesOf(value, ATTRIBUTE.tensor)), TENSOR.name));
  return true;
}

export function writeModelFile({ nodes, tensors, rest }: ModelFile): Uint8Array {
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  const usedTensors = [...tensors].filter(([name]) => used.has(name));
  const graph = writeFields([
    ...nodes.map((node) => bytesField(GRAPH.node, writeNode(node))),
    ...usedTensors.map(([name, tensor]) =>
      bytesField(GRAPH.tensor, writeFields([...tensor, stringField(TENSOR.name, name)])),
    ),
    ...rest.graph,
  ]);
  return writeFields([...rest.model, bytesField(MODEL.graph, graph)]);
}

function all(fields: readonly Field[], fieldNumber: number): Uint8Array[] {
  return fields.flatMap(({ number, bytes }) => (number === fieldNumber ? [bytes] : []));
}

function without(fields: readonly Field[], ...numbers: number[]): Field[] {
  return fields.filter(({ number }) => !numbers.includes(number));
}

/** The last field counts, and a missing one is empty, as protocol buffers define. */
function bytesOf(fields: readonly Field[], fieldNumber: number): Uint8Array {
  return all(fields, fieldNumber).at(-1) ?? new Uint8Array(0);
}

function readNode(bytes: Uint8Array): OnnxNode {
  const fields = readFields(bytes);
  return {
    op: stringOf(bytesOf(fields, NODE.op)),
    inputs: all(fields, NODE.input).map(stringOf),
    outputs: all(fields, NODE.output).map(stringOf),
    rest: without(fields, NODE.op, NODE.input, NODE.output),
  };
}

function writeNode({ op, domain, inputs, outputs, rest }: OnnxNode): Uint8Array {
  return writeFields([
    ...inputs.map((name) => stringField(NODE.input, name)),
    ...outputs.map((name) => stringField(NODE.output, name)),
    stringField(NODE.op, op),
    ...rest,
    ...(domain === undefined ? [] : [stringField(NODE.domain, domain)]),
  ]);
}

/** The same file, which may also use operators that ONNX Runtime adds to those of ONNX. */
export function withContribOps(file: ModelFile): ModelFile {
  const operators = [stringField(OPERATORS.domain, 'com.microsoft'), numberField(OPERATORS.version, 1)];
  const model = [...file.rest.model, bytesField(MODEL.operators, writeFields(operators))];
  return { ...file, rest: { ...file.rest, model } };
}

function attributeOf(rest: readonly Field[], name: string): Field[] | undefined {
  const attributes = all(rest, NODE.attribute).map(readFields);
  return attributes.find((fields) => stringOf(bytesOf(fields, ATTRIBUTE.name)) === name);
}

/** The whole numbers of an attribute; none if the node does not have it. */
export function intsOf({ rest }: OnnxNode, name: string): number[] {
  return (attributeOf(rest, name) ?? []).filter(({ number }) => number === ATTRIBUTE.ints).flatMap(numbersOf);
}

/** The number of an attribute; undefined if the node does not have it. */
export function floatOf({ rest }: OnnxNode, name: string): number | undefined {
  const fields = attributeOf(rest, name);
  const bytes = fields && bytesOf(fields, ATTRIBUTE.float);
  return bytes?.length === 4 ? new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true) : undefined;
}

/** The whole number of an attribute; undefined if the node does not have it. */
export function intOf({ rest }: OnnxNode, name: string): number | undefined {
  const fields = attributeOf(rest, name);
  return fields && numberOf(bytesOf(fields, ATTRIBUTE.int));
}

export function floatAttribute(name: string, value: number): Field {
  return attribute(name, ATTRIBUTE_TYPE.float, [floatField(ATTRIBUTE.float, value)]);
}

export function intAttribute(name: string, value: number): Field {
  return attribute(name, ATTRIBUTE_TYPE.int, [numberField(ATTRIBUTE.int, value)]);
}

export function intsAttribute(name: string, values: readonly number[]): Field {
  const numbers = values.map((value) => numberField(ATTRIBUTE.ints, value));
  return attribute(name, ATTRIBUTE_TYPE.ints, numbers);
}

export function stringAttribute(name: string, value: string): Field {
  return attribute(name, ATTRIBUTE_TYPE.string, [stringField(ATTRIBUTE.string, value)]);
}

function attribute(name: string, type: number, value: readonly Field[]): Field {
  const fields = [stringField(ATTRIBUTE.name, name), ...value, numberField(ATTRIBUTE.type, type)];
  return bytesField(NODE.attribute, writeFields(fields));
}

export function dimsOf(tensor: OnnxTensor): number[] {
  return tensor.filter(({ number }) => number === TENSOR.dims).flatMap(numbersOf);
}

/** A copy; undefined if the tensor holds something else. */
export function floatsOf(tensor: OnnxTensor): Float32Array | undefined {
  if (numberOf(bytesOf(tensor, TENSOR.type)) !== FLOAT) return undefined;
  const raw = bytesOf(tensor, TENSOR.raw);
  const bytes = raw.length > 0 ? raw : Buffer.concat(all(tensor, TENSOR.floats));
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

export function floatTensor(dims: readonly number[], values: Float32Array): OnnxTensor {
  return tensorOf(dims, FLOAT, values);
}

/** The same numbers in 16 bits each. */
export function halfTensor(dims: readonly number[], values: Float32Array): OnnxTensor {
  return tensorOf(dims, FLOAT_16, new Float16Array(values));
}

function tensorOf(
  dims: readonly number[],
  type: number,
  { buffer, byteOffset, byteLength }: ArrayBufferView,
): OnnxTensor {
  return [
    ...dims.map((side) => numberField(TENSOR.dims, side)),
    numberField(TENSOR.type, type),
    bytesField(TENSOR.raw, new Uint8Array(buffer, byteOffset, byteLength)),
  ];
}

/** Repeated numbers are stored single or packed. */
function numbersOf({ wire, bytes }: Field): number[] {
  if (wire !== BYTES) return [numberOf(bytes)];
  const numbers: number[] = [];
  let from = 0;
  bytes.forEach((byte, at) => {
    if (byte >= 128) return;
    numbers.push(numberOf(bytes.subarray(from, at + 1)));
    from = at + 1;
  });
  return numbers;
}
