import { type CompiledDefinition, compileDefinition } from '../src/process-manager/engine/compile-definition.ts';
import type { Step } from '../src/process-manager/engine/definition.ts';
import { nextStep } from '../src/process-manager/engine/next-step.ts';
import { type Effect, NO_DATA, type Reason, type State, type Trigger } from '../src/process-manager/engine/state.ts';
import { stepTypeOf } from '../src/process-manager/engine/steps/registry.ts';

/** The engine alone. */
const CHILD_ID = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
export const NOW = 1_800_000_000_000;

let definitionCount = 0;

/** A definition with these steps, and with the defaults that storing it would write out. */
export function definitionOf(...steps: Partial<Step>[]): CompiledDefinition {
  const full = steps.map((step) => {
    const { settings, keeps, kind } = stepTypeOf(step.type as string);
    const defaults = Object.entries(settings as Record<string, { default?: unknown }>)
      .filter(([, schema]) => schema.default !== undefined)
      .map(([name, schema]) => [name, schema.default]);
    return {
      ...Object.fromEntries(defaults),
      ...(keeps && { key: keeps.defaultKey }),
      ...(kind === 'user' && { timeout: 'PT1H' }),
      id: step.type,
      ...step,
    };
  });
  definitionCount += 1;
  const document = JSON.stringify({ name: 'test', retentionDays: 30, maxDuration: 'PT48H', steps: full });
  return compileDefinition({ id: `test-${definitionCount}`, version: 1, document });
}

export function newState(params: Record<string, string> = {}): State {
  return { flow: { status: 'PENDING', done: {} }, data: NO_DATA, params };
}

export type Ride = {
  state: State;
  effects: Effect[];
  refusal: Reason | undefined;
  faults: readonly { pointer: string; message: string }[];
  /** Applies a trigger, `after` milliseconds after the previous one. */
  on(trigger: Trigger, after?: number): Ride;
  events(): string[];
};

/** An opened journey, to which triggers are applied one after another. */
export function ride(definition: CompiledDefinition, params: Record<string, string> = {}): Ride {
  let now = NOW;
  const step = (state: State, trigger: Trigger, effects: Effect[]): Ride => {
    const next = nextStep(definition, state, { ...trigger, now, freshId: CHILD_ID });
    const refusal = next.refusal;
    const after = refusal === undefined ? next.state : state;
    const all = refusal === undefined ? [...effects, ...next.effects] : effects;
    return {
      state: after,
      effects: all,
      refusal: refusal,
      faults: refusal === undefined ? [] : (next.faults ?? []),
      on(what, ms = 0) {
        now += ms;
        return step(after, what, all);
      },
      events: () => all.flatMap((effect) => (effect.type === 'event' ? [effect.event] : [])),
    };
  };
  return step(newState(params), { type: 'open' }, []);
}

/** The inputs of an end user without mistakes. */
export function submit(step: string, result: Record<string, unknown> = {}, ...images: string[]): Trigger {
  return { type: 'submit', step, result, images };
}

export function passed(step: string, attempt = 1): Trigger {
  const check = { name: step, type: 'face', status: 'PASSED', score: 0.9 } as const;
  return { type: 'findings', step, attempt, findings: { checks: [check] } };
}

export function findingOf(
  step: string,
  status: 'FAILED' | 'REVIEW' | 'NOT_PERFORMED',
  { attempt = 1, advice = 'final' as 'retry' | 'final', reason = 'because' } = {},
): Trigger {
  const check = { name: step, type: 'face', status, reason, advice } as const;
  return { type: 'findings', step, attempt, findings: { checks: [check] } };
}

export { CHILD_ID };
