import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCondition, compileCondition } from '../conditions.ts';
import { NO_DATA, type State } from '../state.ts';
import { chargeText, newBudget } from './budget.ts';
import type { ExpressionError } from './expression-error.ts';

const f = {
  name: 'Ada',
  age: 36,
  score: 0.5,
  member: true,
  nothing: null,
  address: { city: 'Ulm' },
  list: [1, 2, 3],
  words: ['a', 'bc'],
  people: [{ name: 'a' }, { name: 'b', age: 3 }],
};

const state: State = {
  flow: { status: 'ACTIVE', done: { ask: { outcome: 'PASSED', attempts: 2, score: 0.9 } } },
  data: {
    ...NO_DATA,
    forms: { f, long: { text: 'a'.repeat(200_000), list: Array.from({ length: 10_000 }, () => 1) } },
  },
  params: { country: 'DEU', 'with-hyphen': 'x' },
};

const holds = (text: string, budget = newBudget()) =>
  compileCondition(text)(state, { now: Date.UTC(2026, 10, 16), budget });
const fails = (text: string, message: RegExp, part: string, reason = 'condition') =>
  assert.throws(
    () => holds(text),
    (error: ExpressionError) => {
      assert.deepEqual([error.reason, error.part], [reason, part], text);
      return message.test(error.message);
    },
  );
const all = (...texts: string[]) => {
  for (const text of texts) assert.equal(holds(text), true, text);
};

const F = 'data.forms.f';

describe('an expression', () => {
  it('an expression compares and calculates', () => {
    all('1 + 2 * 3 == 7', '7 / 2 == 3 && -7 % 4 == -3', '7.0 / 2.0 == 3.5', 'dyn(1) == 1.0');
    all(`${F}.age == 36 && ${F}.age + 1 == 37 && ${F}.age >= 18 && ${F}.score < 1`, `${F}.age % 2 == 0`);
    all('"a" + "b" == "ab" && "a" < "b"', `${F}.list + [4] == [1, 2, 3, 4]`, `2 in ${F}.list && !(5 in ${F}.list)`);
    all('"country" in params && !("city" in params)', `${F}.nothing == null && ${F}.name != null`);
    all(`${F}.address == {"city": "Ulm"}`, '{1: "a"}[1] == "a"', 'true ? true : false', `${F}.list[0] == 1`);
    fails('1 / 0 == 1', /divides by zero/, '1 / 0');
    fails('9223372036854775807 + 1 == 0', /too large/, '9223372036854775807 + 1');
    fails(`${F}.name > 1`, /no order/, `${F}.name > 1`);
  });

  it('an expression has functions for texts, times and numbers', () => {
    all('"abc".startsWith("a") && "abc".endsWith("c") && "abc".contains("b") && "abc".indexOf("c") == 2');
    all('" aB ".trim().upperAscii() == "AB" && "ÄA".lowerAscii() == "Äa" && "abcd".substring(1, 3) == "bc"');
    all('"a,b".split(",") == ["a", "b"]', `${F}.words.join("-") == "a-bc"`, 'size("äöü") == 3 && [1].size() == 1');
    all('int("12") == 12 && double("1.5") == 1.5 && string(12) == "12" && bool("true")');
    all('timestamp("2026-11-16T00:00:00Z") == now && now.getMonth() == 10 && now.getDayOfWeek() == 1');
    all('now - duration("1h30m") < now && (now - date("2026-11-15")).getHours() == 24', 'now.getDayOfYear() == 319');
    all('"DE12".matches("^[A-Z]{2}\\\\d+$") && !"x".matches("y")', 'params["with-hyphen"] == "x"');
    fails('int("1x") == 1', /whole number/, 'int("1x")');
    fails('duration("1y") == duration("1h")', /duration/, 'duration("1y")');
  });

  it('an expression iterates over lists and objects', () => {
    all(`${F}.list.all(n, n > 0) && ${F}.list.exists(n, n == 3) && ${F}.list.exists_one(n, n > 2)`);
    all(`${F}.list.map(n, n * 2) == [2, 4, 6]`, `${F}.list.filter(n, n > 1).size() == 2`);
    all(`${F}.list.map(n, n > 1, n + 1) == [3, 4]`, `${F}.address.all(name, name == "city")`);
    all(`${F}.list.all(n, ${F}.list.exists(m, m == n))`, 'cel.bind(x, 2, x * x == 4)', '![].exists(n, true)');
  });

  it('an expression uses the side of "or" and "and" that decides, if the other side has no value', () => {
    all('true || params.missing == "x"', 'params.missing == "x" || true', '!(params.missing == "x" && false)');
    all(`${F}.people.exists(p, p.age == 3)`, `!${F}.people.all(p, p.age == 4)`);
    fails('params.missing == "x" || false', /is missing/, 'params.missing');
    fails(`${F}.people.exists(p, p.age == 4)`, /is missing/, 'p.age');
  });

  it('an expression can test for a member even if its parent is missing', () => {
    all(
      `has(${F}.name) && !has(${F}.missing) && has(${F}.nothing)`,
      `!has(${F}.missing.deeper) && has(${F}.address.city)`,
    );
    all('!has(params.constructor) && !has(data.forms.constructor.name) && !("toString" in params)');
  });

  it('an error of an expression names the part without a value, and never shows a value', () => {
    fails(`${F}.list[3] == 1`, /is missing/, `${F}.list[3]`);
    fails(`${F}.name.length == 1`, /has no members/, `${F}.name.length`);
    fails(`params[${F}.name] == "x"`, /is missing/, `params[${F}.name]`);
    fails(`${F}.name && true`, /must be true or false/, `${F}.name && true`);
  });
});

describe('the budget of an expression', () => {
  const L = 'data.forms.long';
  const exceeds = (text: string) =>
    assert.throws(
      () => holds(text),
      ({ reason }: ExpressionError) => reason === 'condition_budget',
      text,
    );

  it('the budget of an expression is used up by elements, by characters and by the results of functions', () => {
    exceeds(`${L}.list.all(a, ${L}.list.all(b, a == b))`);
    exceeds(`${L}.text.matches("^(a+)+$")`);
    exceeds(`(${L}.text + "b").contains(${L}.text + "c")`);
    exceeds(`cel.bind(a, ${L}.text + ${L}.text, cel.bind(b, a + a, cel.bind(c, b + b, (c + c).size() > 1)))`);
    exceeds(`${L}.list.map(a, ${L}.list.map(b, b)) == []`);
    exceeds(`[1, 2, 3, 4, 5, 6].all(a, ${L}.list + ${L}.list != [a])`);
    exceeds(`${L}.text.split("") == []`);
  });

  it('the budget of an expression is used up by texts of other scripts whose letters are folded one by one', () => {
    const used = (text: string) => {
      const budget = newBudget();
      const condition = compileCondition('data.forms.f.text.lowerAscii() == ""');
      const forms = { f: { text } };
      condition({ flow: { status: 'ACTIVE', done: {} }, data: { ...NO_DATA, forms }, params: {} }, { now: 0, budget });
      return newBudget().remaining - budget.remaining;
    };
    assert.ok(used('Aa'.repeat(20_000)) < 5000);
    assert.ok(used(`ä${'Aa'.repeat(20_000)}`) > 40_000);
  });

  it('the budget of an expression applies even if another side decides the result', () => {
    exceeds(`${L}.list.all(a, ${L}.list.all(b, a == b)) || true`);
    exceeds(`[1].exists(x, ${L}.list.all(a, ${L}.list.all(b, a == b))) ? true : true`);
    exceeds(`${L}.list.exists(x, x.missing)`);
  });

  it('the budget of an expression is used up by the length of a text, not only by the number of texts', () => {
    chargeText(newBudget(1000), 1000);
    assert.throws(
      () => chargeText(newBudget(1000), 100_000),
      ({ reason }: ExpressionError) => reason === 'condition_budget',
    );
  });

  it('the budget of an expression is shared by all expressions that are evaluated together', () => {
    const budget = newBudget();
    const once = `${L}.list.all(a, a == 1)`;
    assert.equal(holds(once, budget), true);
    assert.throws(
      () => holds(once, budget),
      ({ reason }: ExpressionError) => reason === 'condition_budget',
    );
  });

  it('the budget of an expression is enough for real conditions', () => {
    const budget = newBudget();
    assert.equal(holds(`${F}.people.exists(p, p.name == "b" && has(p.age)) && params.country == "DEU"`, budget), true);
    assert.ok(budget.remaining > newBudget().remaining - 100);
  });
});

describe('a pattern in an expression', () => {
  const faultOf = (text: string) => checkCondition(text).faults[0] ?? '';

  it('a pattern in an expression is matched without backtracking, is a literal, and has a limited size', () => {
    assert.equal(faultOf('params.a.matches("^(a+)+$")'), '');
    assert.match(faultOf('params.a.matches("(a)\\\\1")'), /not a regular expression of RE2/);
    assert.match(faultOf('params.a.matches("(?=a)")'), /not a regular expression of RE2/);
    assert.match(faultOf('params.a.matches("[a-z]{1000}")'), /too large/);
    assert.match(faultOf(`params.a.matches("${'a'.repeat(201)}")`), /more than 200 characters/);
    assert.match(faultOf('params.a.matches(params.b)'), /must be written out/);
  });
});
