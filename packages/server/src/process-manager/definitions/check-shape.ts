import { MAX_INPUT_ERRORS, MAX_STEPS } from '@grove/contract';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { fromDuration, HOUR } from '../../kernel/clock.ts';
import { closest, didYouMean } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import { type SizeLimits, sizeFault } from '../../kernel/size-fault.ts';
import type { Step } from '../engine/definition.ts';
import { stepTypes } from '../engine/steps/registry.ts';
import type { StepType } from '../engine/steps/step-type.ts';
import { documentSchema, stepSchema } from './schema.ts';
import { toFault } from './shape-sentences.ts';

/** Ensures that a document has only allowed members of the right types, and fills in defaults. */

/** A step as far as it can be read: faults of its shape must not hide faults of its position. */
export type ReadStep = {
  readonly at: number;
  readonly step: Step;
  /** The type of the step, or the suggestion for an unknown type. */
  readonly type: StepType | undefined;
};

export type Shape = {
  readonly document: Readonly<Record<string, unknown>>;
  readonly steps: readonly ReadStep[];
  readonly faults: readonly FieldFault[];
};

/** Limits the members and elements at all levels of a document. A long list of countries has 250. */
const DOCUMENT_LIMITS: SizeLimits = { maxValues: 20_000, maxDepth: 30, maxNameLength: 500 };
/** Limits a step without the schema of its form, and a document without its steps, which are checked one by one. */
const PART_LIMITS: SizeLimits = { maxValues: 2000, maxDepth: 30, maxNameLength: 500 };
const MAX_TIMEOUT_DAYS = 30;
const MAX_DURATION_DAYS = 90;

export function checkShape(input: unknown): Shape {
  const tooLarge = sizeFault(input, DOCUMENT_LIMITS);
  if (tooLarge) return { document: {}, steps: [], faults: [{ pointer: '', message: tooLarge }] };
  const document = structuredClone(input);
  const faults = faultsOf(documentShape(), document, '', 'steps');
  if (!isObject(document)) return { document: {}, steps: [], faults };
  faults.push(...durationFaults(document.maxDuration, '/maxDuration', MAX_DURATION_DAYS));
  const listed = Array.isArray(document.steps) ? document.steps.slice(0, MAX_STEPS) : [];
  const steps = listed.map((step, at) => readStep(step, at, faults));
  const ordered = inOrder(document, documentShape().members);
  return { document: { ...ordered, steps: steps.map(({ step }) => step) }, steps, faults };
}

function readStep(step: unknown, at: number, faults: FieldFault[]): ReadStep {
  const pointer = `/steps/${at}`;
  if (!isObject(step)) {
    faults.push({ pointer, message: 'must be a step: an object with an id and a type' });
    return { at, step: {} as Step, type: undefined };
  }
  const stepType = typeof step.type === 'string' ? stepTypes.get(step.type) : undefined;
  // An answer shows no more faults, so the rest is not checked.
  const isEnough = faults.length >= MAX_INPUT_ERRORS;
  const ofShape = isEnough ? [] : faultsOf(shapeOf(stepType), step, pointer, 'schema');
  const stepFaults = [...(stepType ? [] : typeFaults(step.type, pointer)), ...ofShape];
  stepFaults.push(...durationFaults(step.timeout, `${pointer}/timeout`, MAX_TIMEOUT_DAYS));
  if (stepType && stepFaults.length === 0 && !isEnough) {
    const own = stepType.faults?.(step as Step) ?? [];
    stepFaults.push(...own.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })));
  }
  faults.push(...stepFaults);
  const likelyType = stepType ?? stepTypes.get(closest(String(step.type), stepTypes.keys()) ?? '');
  const orderedStep = stepType ? inOrder(step, shapeOf(stepType).members) : step;
  return { at, step: orderedStep as Step, type: likelyType };
}

function typeFaults(type: unknown, pointer: string): FieldFault[] {
  if (typeof type !== 'string')
    return type === undefined ? [] : [{ pointer: `${pointer}/type`, message: 'must be text' }];
  const message = `must be one of ${[...stepTypes.keys()].join(', ')}${didYouMean(type, stepTypes.keys())}`;
  return [{ pointer: `${pointer}/type`, message }];
}

function durationFaults(duration: unknown, pointer: string, mostDays: number): FieldFault[] {
  // The schema has reported a text that is not a duration.
  if (typeof duration !== 'string' || !durationShape()(duration)) return [];
  const ms = fromDuration(duration);
  return ms > 0 && ms <= mostDays * 24 * HOUR
    ? []
    : [{ pointer, message: `must be greater than zero, at most P${mostDays}D` }];
}

/** Calls a function of the step type on settings that may be malformed; an empty list if it throws. */
export function asFarAsReadable<T>(find: () => readonly T[] | undefined): readonly T[] {
  try {
    return find() ?? [];
  } catch {
    return [];
  }
}

type PartShape = { readonly name: string; readonly members: readonly string[]; readonly validate: ValidateFunction };

// The package is CommonJS; its function is the module itself.
const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: string[]) => Ajv;

/** Made for the first definition, because most servers never get one. */
const compiler = once(() => {
  // A test checks that our schemas are valid.
  const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true, strict: false, validateSchema: false });
  return addFormats(ajv, ['duration']);
});
const durationShape = once(() => compiler().compile<string>({ type: 'string', format: 'duration' }));
const documentShape = once(() => shapeNamed('a definition', documentSchema({})));
const stepShapes = new Map<string, PartShape>();

/** For an unknown type, only the members that every step has can be checked. */
const anyStepShape = once(() => shapeNamed('a step', anyStepSchema()));

function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

function shapeOf(type: StepType | undefined): PartShape {
  if (!type) return anyStepShape();
  const cached = stepShapes.get(type.type);
  if (cached) return cached;
  const stepShape = shapeNamed(`a ${type.type} step`, stepSchema(type));
  stepShapes.set(type.type, stepShape);
  return stepShape;
}

function shapeNamed(name: string, schema: { properties: Readonly<Record<string, object>> }): PartShape {
  return { name, members: Object.keys(schema.properties), validate: compiler().compile(schema) };
}

function anyStepSchema() {
  const { properties, ...rest } = stepSchema({ type: '', about: '', kind: 'server', settings: {} });
  return { ...rest, properties: { ...properties, type: {} }, additionalProperties: true };
}

/** `apart` is a member with its own limits. */
function faultsOf(shape: PartShape, value: unknown, pointer: string, apart: string): FieldFault[] {
  const tooLarge = sizeFault(isObject(value) ? { ...value, [apart]: undefined } : value, PART_LIMITS);
  if (tooLarge) return [{ pointer, message: tooLarge }];
  if (shape.validate(value)) return [];
  // A hostile document has thousands of faults: sentences are written only for those that the answer shows.
  return (shape.validate.errors ?? []).slice(0, MAX_INPUT_ERRORS).map((error) => toFault(error, pointer, shape));
}

/** Sorts the members, so that documents with the same meaning are stored in the same form. */
function inOrder(value: Record<string, unknown>, members: readonly string[]): Record<string, unknown> {
  const entries = members.filter((name) => value[name] !== undefined).map((name) => [name, value[name]] as const);
  return Object.fromEntries(entries);
}
