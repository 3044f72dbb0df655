import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDefinition } from './check-definition.ts';

const decide = { id: 'decide', type: 'decision' };
const consent = { id: 'consent', type: 'consent' };
const form = { id: 'ask', type: 'form', schema: { type: 'object', properties: { age: { type: 'integer' } } } };
const passport = { id: 'document', type: 'document' };

const conditionFaults = (...steps: readonly unknown[]) =>
  checkDefinition({ name: 'a-journey', steps }).faults.map(({ pointer, message }) => `${pointer} ${message}`);

describe('a condition', () => {
  const when = (text: string) => conditionFaults(consent, { ...form, when: text }, passport, decide);

  it('a condition that cannot be parsed is a fault with its position', () => {
    assert.match(
      when('checks.consent.passed &&')[0] ?? '',
      /^\/steps\/1\/when is not a condition: .*\(at character \d+\)/,
    );
    assert.match(when('"text"')[0] ?? '', /must be true or false/);
    assert.match(when('')[0] ?? '', /^\/steps\/1\/when must not be empty$/);
  });

  it('a condition refers only to steps and keys that come before it', () => {
    assert.deepEqual(when('checks.consent.passed && data.forms.consent.accepted'), []);
    assert.match(when('checks.consnet.passed')[0] ?? '', /"consnet", which does not exist; did you mean consent\?$/);
    assert.match(when('checks.document.passed')[0] ?? '', /the step "document", which comes later$/);
    assert.match(when('checks.ask.passed')[0] ?? '', /its own step/);
    assert.match(when('data.documents.doc1.documentType == "PASSPORT"')[0] ?? '', /which a later step gathers$/);
    assert.match(when('data.forms.consnt.accepted')[0] ?? '', /under the key "consnt"; did you mean consent\?$/);
    assert.match(when('data.faces.face1.x == 1')[0] ?? '', /data.faces, where no step keeps anything/);
  });

  it('a condition among the settings of a step is checked, too', () => {
    const rules = [{ when: 'checks.nothing.passed', outcome: 'PASS' }];
    assert.match(
      conditionFaults(consent, { ...decide, rules })[0] ?? '',
      /^\/steps\/1\/rules\/0\/when refers to the step "nothing"/,
    );
  });

  it('a condition names only members that can exist, and all its faults are reported together', () => {
    const person = {
      id: 'person',
      type: 'form',
      key: 'person',
      schema: {
        type: 'object',
        properties: {
          firstName: { type: 'string' },
          address: { type: 'object', properties: { city: { type: 'string' } } },
          phones: { type: 'array', items: { type: 'object', properties: { number: { type: 'string' } } } },
          open: { type: 'object', additionalProperties: true },
        },
      },
    };
    const http = { id: 'risk', type: 'http', url: 'https://risk.example.com', keep: { label: '/label' } };
    const faultsOfRules = (...texts: string[]) =>
      conditionFaults(consent, person, http, passport, {
        ...decide,
        rules: texts.map((text) => ({ when: text, outcome: 'PASS' })),
      }).map((fault) => fault.replace('/steps/4/rules/', ''));
    const D = 'data.documents.doc1';
    const P = 'data.forms.person';
    assert.deepEqual(
      faultsOfRules(
        `${D}.agee >= 18`,
        `${P}.fistName == "x" && ${P}.address.town == "y"`,
        'checks.document.pased || checks.consent.scoer > 0.5',
        `${P}.phones.exists(p, p.numbr == "1")`,
        'data.forms.http1.labell == "low"',
        `${D}.biographicData.exists(f, f.feldName == "x")`,
        'data.form.person.firstName == "x"',
      ),
      [
        `0/when is not a condition: refers to ${D}.agee, which does not exist; did you mean age?`,
        `1/when is not a condition: refers to ${P}.fistName, which does not exist; did you mean firstName?`,
        `1/when is not a condition: refers to ${P}.address.town, which does not exist`,
        '2/when is not a condition: refers to checks.document.pased, which does not exist; did you mean passed?',
        '2/when is not a condition: refers to checks.consent.scoer, which does not exist; did you mean score?',
        '3/when is not a condition: refers to p.numbr, which does not exist; did you mean number?',
        '4/when is not a condition: refers to data.forms.http1.labell, which does not exist; did you mean label?',
        '5/when is not a condition: refers to f.feldName, which does not exist; did you mean fieldName?',
        '6/when is not a condition: refers to data.form, which does not exist; did you mean forms?',
        '6/when is not a condition: data must be followed by one of forms, documents, faces, pauses and a key',
      ],
    );
    assert.deepEqual(
      faultsOfRules(
        `has(${D}.age) && ${D}.age >= 18 && ${D}.expires > now`,
        `${P}.open.anything == 1`,
        `${P}.address.city == "y"`,
      ),
      [],
    );
  });

  it('a condition compares values and calls functions only if their types allow it', () => {
    const D = 'data.documents.doc1';
    const faultOfRule = (text: string) =>
      conditionFaults(passport, { ...decide, rules: [{ when: text, outcome: 'PASS' }] })[0] ?? '';
    assert.match(faultOfRule(`${D}.age >= "18"`), /data.documents.doc1.age >= "18" compares a number with a text$/);
    assert.match(faultOfRule(`${D}.dateOfBirth == "2008-11-16"`), /compares a timestamp with a text$/);
    assert.match(faultOfRule(`${D}.surname`), /must be true or false, but it is a text$/);
    assert.match(faultOfRule(`${D}.age.contains("1")`), /contains takes a text, not a number$/);
    assert.match(faultOfRule('agee(now) > 1'), /there is no function agee for conditions; did you mean age\?$/);
    assert.match(faultOfRule('nwo > date("2026-01-01")'), /there is no nwo; did you mean now\?$/);
  });

  it('a condition calculates, negates and searches only with values of the right types', () => {
    const D = 'data.documents.doc1';
    const faultsOf = (text: string) =>
      conditionFaults(passport, { ...decide, rules: [{ when: text, outcome: 'PASS' }] }).map((fault) =>
        fault.replace('/steps/1/rules/0/when is not a condition: ', ''),
      );
    const wrong: [text: string, fault: string][] = [
      [`!${D}.surname`, `${D}.surname must be true or false, but it is a text`],
      [`${D}.age && checks.document.passed`, `${D}.age must be true or false, but it is a number`],
      [`checks.document.passed || ${D}.age`, `${D}.age must be true or false, but it is a number`],
      [`${D}.age ? true : false`, `${D}.age must be true or false, but it is a number`],
      [`[1, 2].exists(x, x + ${D}.age)`, `x + ${D}.age must be true or false, but it is a number`],
      [`[1, 2].map(x, x, x + 1) == [2]`, 'x must be true or false, but it is a number'],
      [`-${D}.surname > 3`, `-${D}.surname negates a text`],
      [`${D}.surname * 2 > 3`, `${D}.surname * 2 calculates with a text and a number`],
      [`${D}.surname + ${D}.age == "x"`, `${D}.surname + ${D}.age calculates with a text and a number`],
      [`now - ${D}.expires > 3`, `now - ${D}.expires > 3 compares a duration with a number`],
      [`${D}.expires - now - 1 > duration("1h")`, `${D}.expires - now - 1 calculates with a duration and a number`],
      [`"a" in ${D}.age`, `"a" in ${D}.age looks for a text in a number`],
      [`size(${D}.age) > 3`, 'size takes a text or a list or an object, not a number'],
      [`${D}.surname.startsWith(${D}.age)`, 'startsWith takes a text, not a number'],
      [`${D}.surname.substring("a") == "b"`, 'substring takes a number, not a text'],
      [`${D}.age.getFullYear() == 3`, 'getFullYear takes a timestamp, not a number'],
      [`bool(${D}.age)`, 'bool takes true or false or a text, not a number'],
      [`${D}.biographicData == 3`, `${D}.biographicData == 3 compares a list with a number`],
      [
        `${D}.biographicData[0].feldName == "x"`,
        `refers to ${D}.biographicData[0].feldName, which does not exist; did you mean fieldName?`,
      ],
      [`${D}.biographicData[0].values.exists(name, name > 3)`, 'name > 3 compares a text with a number'],
      [
        `${D}.biographicData.filter(f, f.fieldName == "x").exists(f, f.fieldName > 3)`,
        'f.fieldName > 3 compares a text with a number',
      ],
    ];
    for (const [text, fault] of wrong) assert.deepEqual(faultsOf(text), [fault], text);
    const right = [
      `${D}.surname + "x" == "y" && ${D}.age + 1 > 3 && ${D}.age * 2 % 3 == 1`,
      `${D}.expires - now > duration("720h") && ${D}.expires + duration("1h") > now && now - duration("1h") < now`,
      `"a" in params && "x" in ${D}.biographicData[0].values && ${D}.age in [18, 19]`,
      '!checks.document.passed && (params.a && params.b) && -params.c * params.d > 1 && params.e + "x" == "ax"',
      `size(${D}.surname) > 1 && ${D}.surname.substring(1) == "x" && int(${D}.age) > 1 && string(${D}.age) != "" && age("2001-02-03") > 1`,
      '(now - timestamp("2026-01-01T00:00:00Z")).getHours() > 1 && [1, 2].map(x, x > 1, x * 2) == [4]',
      `(checks.document.passed ? ${D}.age : ${D}.surname) == "x" && (checks.document.passed ? ${D}.age : ${D}.surname) == 3`,
      '[[1], [2]].exists(x, x + [3] == [1, 3]) && (params.a ? 1 : 2) + 1 == 2',
    ];
    for (const text of right) assert.deepEqual(faultsOf(text), [], text);
  });

  it('the conditions of a definition are refused if they are too long together, or contain too many patterns', () => {
    const steps = Array.from({ length: 30 }, (_, at) => ({ ...consent, id: `c${at}`, key: `c${at}` }));
    const long = steps.map((step) => ({ ...step, when: `true${' || true'.repeat(200)}` }));
    assert.deepEqual(conditionFaults(...long, decide), [
      '/steps has conditions of 48120 characters in all, and may have 40000',
    ]);
    const patterns = steps.map((step) => ({ ...step, when: 'params.a.matches("b")' }));
    const faults = conditionFaults(...patterns, decide);
    assert.equal(faults.length, 10);
    assert.match(faults[0] ?? '', /^\/steps\/20\/when is one pattern too many/);
  });

  it('a condition of a megabyte is refused without parsing', () => {
    assert.deepEqual(when(`true${' || true'.repeat(150_000)}`), ['/steps/1/when must have at most 2000 characters']);
  });
});
