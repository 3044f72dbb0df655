import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOW } from '../../../test/engine.ts';
import { checkDefinition } from '../definitions/check-definition.ts';
import { compileDefinition } from './compile-definition.ts';
import { newBudget } from './expressions/budget.ts';
import { NO_DATA, type State } from './state.ts';

const rowOf = (id: string, when: string) => {
  const steps = [
    { id: 'consent', type: 'consent' },
    { id: 'constructor', type: 'form', when, schema: { type: 'object', properties: { a: { type: 'string' } } } },
    { id: 'decide', type: 'decision' },
  ];
  const { definition } = checkDefinition({ name: 'compiled', steps });
  return { id, version: 2, document: JSON.stringify(definition) };
};

const asking = { now: NOW, budget: newBudget() };

const stateWith = (params: Record<string, string>): State => ({
  flow: { status: 'ACTIVE', done: { consent: { outcome: 'PASSED', attempts: 1 } } },
  data: NO_DATA,
  params,
});

describe('a compiled definition', () => {
  it('a compiled definition finds steps by their ids, and nothing by names of inherited members', () => {
    const compiled = compileDefinition(rowOf('1', 'true'));
    assert.equal(compiled.step('constructor')?.type, 'form');
    assert.deepEqual(
      ['consent', 'constructor', 'decide', 'toString', '__proto__'].map((id) => compiled.indexOf(id)),
      [0, 1, 2, -1, -1],
    );
    assert.equal(compiled.step('toString'), undefined);
    assert.deepEqual([compiled.id, compiled.version, compiled.definition.name], ['1', 2, 'compiled']);
  });

  it('a compiled definition evaluates its conditions, and throws if one cannot be evaluated', () => {
    const when = 'checks.consent.passed && params.country == "DEU"';
    const { holds } = compileDefinition(rowOf('2', when));
    assert.equal(holds(when, stateWith({ country: 'DEU' }), asking), true);
    assert.equal(holds(when, stateWith({ country: 'FRA' }), asking), false);
    assert.throws(() => holds(when, stateWith({}), asking));
  });
});
