import type { api, Ok } from '@grove/contract';
import { isScenario, scenarioOf, scenarios } from '../engines/vision/scenarios.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { stepTypeOf } from '../process-manager/engine/steps/registry.ts';
import type { Look } from '../process-manager/runtime/drive.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { lockJourney } from './steps.ts';

/** Whoever tries a journey in the sandbox chooses how it ends. In live journeys there is nothing to choose. */
type Simulation = Ok<typeof api.journey.getSimulation>;

export function simulations(deps: JourneyDeps) {
  return {
    async get({ db, session }: JourneyContext): Promise<Simulation> {
      const look = await deps.processes.drive.look(db, session.instanceId);
      if (!look) throw new ApiError(100022);
      ensureSandbox(look);
      return shown(look, look.state.params._scenario);
    },

    set: (context: JourneyContext, scenario: string): Promise<Simulation> =>
      context.db.write(async (tx) => {
        const look = await lockJourney(deps, tx, context);
        ensureSandbox(look);
        if (!isScenario(scenario)) {
          const names = scenarios.map(({ name }) => name).join(', ');
          throw invalidInput({ pointer: '/scenario', message: `must be one of ${names}` });
        }
        await deps.processes.setScenario(tx, look.root, scenario);
        if (look.instance.id !== look.root.id) await deps.processes.setScenario(tx, look.instance, scenario);
        return shown(look, scenario);
      }),
  };
}

function ensureSandbox({ root, instance }: Look): void {
  if (root.environment !== 'test' || instance.environment !== 'test') throw new ApiError(100233);
}

function shown({ definition, state }: Look, scenario: string | undefined): Simulation {
  const steps = definition.definition.steps.flatMap((step) => {
    const { user } = stepTypeOf(step.type);
    if (!user) return [];
    // What a form knows of the end user already is nobody's business here.
    const { values: _values, ...settings } = user.show(step, state);
    return [{ id: step.id, type: step.type, settings }];
  });
  return {
    scenario: scenarioOf(scenario).name,
    scenarios: scenarios.map(({ name, description, outcome }) => ({ name, description, outcome })),
    steps,
  };
}
