import type { api, Ok } from '@grove/contract';
import { isScenario, scenarioOf, scenarios } from '../engines/vision/scenarios.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { stepTypeOf } from '../process-manager/engine/steps/registry.ts';
import type { Snapshot } from '../process-manager/runtime/drive.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { lockToTell } from './steps.ts';

/** Lets a tester choose the outcome in the sandbox. Live journeys refuse it. */
type Simulation = Ok<typeof api.journey.getSimulation>;

export function simulations(deps: JourneyDeps) {
  return {
    async get({ db, session }: JourneyContext): Promise<Simulation> {
      const snapshot = await deps.processes.drive.look(db, session.instanceId);
      if (!snapshot) throw new ApiError(100022);
      ensureSandbox(snapshot);
      return viewOf(snapshot, snapshot.state.params._scenario);
    },

    set: (context: JourneyContext, scenario: string): Promise<Simulation> =>
      context.db.write(async (tx) => {
        const snapshot = await lockToTell(deps, tx, context);
        ensureSandbox(snapshot);
        if (!isScenario(scenario)) {
          const names = scenarios.map(({ name }) => name).join(', ');
          throw invalidInput({ pointer: '/scenario', message: `must be one of ${names}` });
        }
        await deps.processes.setScenario(tx, snapshot.root, scenario);
        if (snapshot.instance.id !== snapshot.root.id)
          await deps.processes.setScenario(tx, snapshot.instance, scenario);
        return viewOf(snapshot, scenario);
      }),
  };
}

function ensureSandbox({ root, instance }: Snapshot): void {
  if (root.environment !== 'test' || instance.environment !== 'test') throw new ApiError(100233);
}

function viewOf({ definition, state }: Snapshot, scenario: string | undefined): Simulation {
  const steps = definition.definition.steps.flatMap((step) => {
    const { user } = stepTypeOf(step.type);
    if (!user) return [];
    // Known values of a form are personal data and are not shown here.
    const { values: _values, ...settings } = user.show(step, state);
    return [{ id: step.id, type: step.type, settings }];
  });
  return {
    scenario: scenarioOf(scenario).name,
    scenarios: scenarios.map(({ name, description, outcome }) => ({ name, description, outcome })),
    steps,
  };
}
