import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stepTypes } from '../engine/steps/registry.ts';
import { checkDefinition } from './check-definition.ts';

type Steps = readonly unknown[];

const decide = { id: 'decide', type: 'decision' };
const consent = { id: 'consent', type: 'consent' };
const form = { id: 'ask', type: 'form', schema: { type: 'object', properties: { age: { type: 'integer' } } } };
const passport = { id: 'document', type: 'document' };
const selfie = { id: 'selfie', type: 'face' };
const match = { id: 'match', type: 'faceMatch' };

const check = (...steps: Steps) => checkDefinition({ name: 'a-journey', steps });
const faultsOf = (...steps: Steps) => check(...steps).faults.map(({ pointer, message }) => `${pointer} ${message}`);

describe('a definition without faults', () => {
  it('a definition without faults gets every default written out, in one order, whatever the order of the request', () => {
    const { definition, faults } = checkDefinition({
      steps: [{ key: 'doc1', type: 'document', id: 'document' }, decide],
      name: 'a-journey',
    });
    assert.deepEqual(faults, []);
    assert.equal(
      JSON.stringify(definition),
      JSON.stringify({
        name: 'a-journey',
        processDefinitionType: 'VERIFICATION',
        assurance: 'basic',
        retentionDays: 30,
        theme: 'default',
        maxDuration: 'PT48H',
        attributes: { searchable: [] },
        steps: [
          {
            id: 'document',
            type: 'document',
            timeout: 'PT24H',
            key: 'doc1',
            accept: ['PASSPORT', 'ID_CARD', 'DRIVERS_LICENSE', 'OTHER'],
            sides: 'auto',
            requireLiveCapture: false,
            applicantMatch: true,
            maxAttempts: 3,
            triesPerSide: 5,
            useAnywayAfter: 2,
          },
          { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' },
        ],
      }),
    );
  });

  it('a definition without faults stays as it is when it is checked again', () => {
    const { definition } = check(consent, form, passport, selfie, match, decide);
    assert.deepEqual(checkDefinition(definition).definition, definition);
  });

  it('a definition without faults is returned as a copy: the input does not change', () => {
    const input = { name: 'a-journey', steps: [{ ...consent }, decide] };
    const before = structuredClone(input);
    checkDefinition(input);
    assert.deepEqual(input, before);
  });

  it('a definition without faults may use names of inherited object members as ids of steps', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const steps = names.map((id, at) => ({
      ...form,
      id,
      key: id,
      ...(at > 0 && { when: `checks.${names[at - 1]}.passed` }),
    }));
    assert.deepEqual(faultsOf(...steps, decide), []);
  });
});

describe('the faults of a definition', () => {
  it('the faults of a definition are reported in one answer, each with its pointer, in the order of the document', () => {
    const { faults, definition } = checkDefinition({
      name: 'Not A Name',
      colour: 'green',
      maxDuration: 'P91D',
      steps: [
        { id: 'agree', type: 'consnet' },
        { id: 'agree', type: 'document', acept: ['PASSPORT'], accept: ['PASPORT'], next: 'agree' },
        { id: 'end', type: 'faceMatch', document: 'doc2', onFail: 'nowhere', when: 'checks.agree.passed &&' },
        7,
        { id: 'decide', type: 'decision', rules: [{ when: 'checks.selfie.passed', outcome: 'MAYBE' }] },
        { id: 'selfie', type: 'face', timeout: 'PT0S', key: '9' },
      ],
    });
    assert.equal(definition, undefined);
    assert.deepEqual(
      faults.map(({ pointer }) => pointer),
      [
        '/colour',
        '/name',
        '/maxDuration',
        '/steps/0/type',
        '/steps/1/acept',
        '/steps/1/accept/0',
        '/steps/1/id',
        '/steps/1/next',
        '/steps/2/id',
        '/steps/2/onFail',
        '/steps/2/when',
        '/steps/2/document',
        '/steps/2/face',
        '/steps/3',
        '/steps/4/rules/0/outcome',
        '/steps/4/rules/0/when',
        '/steps/5/key',
        '/steps/5/timeout',
        '/steps/5',
      ],
    );
    for (const { message } of faults) assert.match(message, /^\S.{5,}$/);
  });

  it('the faults of a definition are at most 100', () => {
    const steps = Array.from({ length: 100 }, () => ({ id: '', type: 'nothing', next: 'nowhere' }));
    assert.equal(check(...steps).faults.length, 100);
    const unknown = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`setting${at}`, at]));
    assert.equal(check({ ...consent, ...unknown }, decide).faults.length, 100);
    const long = Array.from({ length: 100 }, (_, at) => ({
      ...consent,
      id: `${'x'.repeat(9000)}${at}`,
      next: 'nowhere',
    }));
    assert.equal(check(...long).faults.length, 100);
  });

  it('the faults of a definition are reported, too, if the input is not a definition at all', () => {
    for (const none of [null, 5, 'text', [], true, undefined]) {
      assert.deepEqual(checkDefinition(none).faults, [{ pointer: '/', message: 'must be an object' }]);
    }
    assert.deepEqual(
      checkDefinition({}).faults.map(({ pointer, message }) => `${pointer} ${message}`),
      ['/name is required', '/steps is required'],
    );
    assert.deepEqual(checkDefinition({ name: 'x', steps: {} }).faults, [
      { pointer: '/steps', message: 'must be a list' },
    ]);
  });

  it('the faults of a definition never make the check throw, whatever the input', () => {
    const member = fc.constantFrom('id', 'type', 'when', 'next', 'onFail', 'key', 'rules', 'schema', 'face', 'timeout');
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('end', 'a', 'doc1', ...stepTypes.keys()));
    const step = fc.oneof(fc.dictionary(member, value), fc.jsonValue({ maxDepth: 1 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), (steps, other) => {
        for (const document of [{ name: 'a', steps }, { name: 'a', steps: other }, other]) {
          const { faults, definition } = checkDefinition(document);
          assert.equal(faults.length === 0, definition !== undefined);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('the faults of a definition of 4,000 steps are the number of steps, and those of the first hundred', () => {
    const steps = Array.from({ length: 4000 }, (_, at) => ({ ...consent, id: `c${at}`, key: `c${at}` }));
    assert.deepEqual(faultsOf(...steps), [
      '/steps must have at most 100 entries',
      '/steps/99 is the last step, and the journey has no end: add a decision below it',
    ]);
  });
});

describe('a step', () => {
  it('a step of an unknown type is a fault that lists the types, with a suggestion', () => {
    const [fault = '', ...others] = faultsOf(
      { ...match, type: 'facematch', document: 'doc1', face: 'face1' },
      passport,
      selfie,
      decide,
    );
    assert.match(fault, /^\/steps\/0\/type must be one of consent, form, .*review; did you mean faceMatch\?$/);
    // The step is treated as one of the suggested type, so that its reference is checked, too.
    assert.equal(others.length, 2);
    const [odd = ''] = faultsOf({ id: 'a', type: 'telepathy' }, decide);
    assert.doesNotMatch(odd, /did you mean/);
    for (const type of [undefined, null, 5]) assert.equal(faultsOf({ id: 'a', type }, decide).length, 1);
  });

  it('a step has a unique id and a unique key, of characters that a condition can contain', () => {
    assert.match(
      faultsOf(consent, { ...form, id: 'consent' }, decide)[0] ?? '',
      /^\/steps\/1\/id .*\/steps\/0 already/,
    );
    assert.match(
      faultsOf(passport, { ...passport, id: 'other' }, decide)[0] ?? '',
      /^\/steps\/1\/key "doc1" .*"document"/,
    );
    // Forms and documents have separate keys.
    assert.deepEqual(faultsOf({ ...form, key: 'x' }, { ...passport, key: 'x' }, decide), []);
    for (const id of ['', '1a', 'a b', 'a.b', 'é', 'a'.repeat(51), '__proto__', 'end', 5]) {
      assert.equal(faultsOf({ ...consent, id }, decide)[0]?.split(' ')[0], '/steps/0/id', String(id));
    }
    for (const key of ['', '1a', 'a-b', '__proto__', 'a'.repeat(51)]) {
      assert.equal(faultsOf({ ...consent, key }, decide)[0]?.split(' ')[0], '/steps/0/key', key);
    }
  });

  it('a step contains only the settings of its type', () => {
    assert.deepEqual(faultsOf({ ...consent, maxAttemps: 2 }, { ...passport, maxAttemps: 2 }, decide), [
      '/steps/0/maxAttemps is not part of a consent step',
      '/steps/1/maxAttemps is not part of a document step; did you mean maxAttempts?',
    ]);
    assert.deepEqual(faultsOf({ ...passport, maxAttempts: 11, sides: 'all', accept: [] }, decide), [
      '/steps/0/accept must have at least one entry',
      '/steps/0/sides must be one of auto, front, both',
      '/steps/0/maxAttempts must be at most 10',
    ]);
    assert.deepEqual(faultsOf(consent, { ...decide, next: 'consent' }), [
      '/steps/1/next is not part of a decision step',
    ]);
  });

  it('a step and a document have limits of number and depth, whatever they contain', () => {
    const members = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, 1]));
    assert.equal(faultsOf({ ...consent, ...members(1500) }, decide).length, 100);
    const large = '/steps/0 must not hold more than 2000 values';
    assert.equal(faultsOf({ ...consent, ...members(3000) }, decide)[0], large);
    assert.equal(faultsOf({ ...passport, accept: Object.keys(members(3000)) }, decide)[0], large);
    assert.deepEqual(faultsOf({ ...consent, ...members(80_000) }, decide), [' must not hold more than 20000 values']);
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], []);
    assert.deepEqual(faultsOf({ ...consent, deep }, decide), [' must not be nested deeper than 30']);
  });

  it('a step of the end user has a time-out of at most 30 days', () => {
    for (const timeout of ['PT1S', 'P30D', 'PT24H', 'P4W'])
      assert.deepEqual(faultsOf({ ...consent, timeout }, decide), []);
    for (const timeout of ['P31D', 'PT0S', 'P2M', 'P1Y']) {
      assert.match(
        faultsOf({ ...consent, timeout }, decide)[0] ?? '',
        /^\/steps\/0\/timeout must be greater .* P30D$/,
        timeout,
      );
    }
    assert.match(
      faultsOf({ ...consent, timeout: '24 hours' }, decide)[0] ?? '',
      /timeout must be an ISO 8601 duration/,
    );
    assert.match(faultsOf(passport, selfie, { ...match, timeout: 'PT1H' }, decide)[0] ?? '', /not part of a faceMatch/);
  });
});

/** The maximum number of bytes that are read of a body. */
const MAX_BODY = 1024 * 1024;

describe('a definition that is written to be slow', () => {
  const asks = (at: number, settings: object) => ({
    id: `h${at}`,
    type: 'http',
    key: `h${at}`,
    url: 'https://example.com/',
    ...settings,
  });
  const withHeaders = (value: string): Steps =>
    Array.from({ length: Math.floor(MAX_BODY / 20_500) }, (_, at) =>
      asks(at, { headers: Object.fromEntries(Array.from({ length: 20 }, (_, header) => [`x-${header}`, value])) }),
    );
  const SLOW: Readonly<Record<string, Steps>> = {
    'headers that name one secret again and again': withHeaders('{secret.A}'.repeat(100)),
    'headers that name hundreds of secrets': withHeaders(
      Array.from({ length: 90 }, (_, at) => `{secret.${at}}`).join(''),
    ),
    'bodies that are nested as deep as they are long': Array.from({ length: 99 }, (_, at) =>
      asks(at, { body: '['.repeat(4900) + ']'.repeat(4900) }),
    ),
    'jumps to steps that are not there, but nearly': Array.from({ length: 100 }, (_, at) => ({
      id: `${'a'.repeat(40)}${at}`,
      type: 'consent',
      key: `k${at}`,
      next: `${'a'.repeat(45)}${at}`,
      onFail: `${'b'.repeat(45)}${at}`,
    })),
    'fifty faults below one long name': [
      {
        ...form,
        schema: {
          type: 'object',
          properties: {
            ['x'.repeat(900_000)]: { properties: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [at, 1])) },
          },
        },
      },
    ],
  };

  for (const [title, steps] of Object.entries(SLOW)) {
    it(`a definition that is written to be slow is refused quickly, with a short answer: ${title}`, (test) => {
      const times = [1, 2, 3].map(() => {
        const before = process.threadCpuUsage();
        const { faults } = check(...steps);
        const { user, system } = process.threadCpuUsage(before);
        assert.ok(faults.length > 0 && JSON.stringify(faults).length < 100_000);
        return (user + system) / 1000;
      });
      test.diagnostic(`${Math.min(...times)} ms of processor time`);
      assert.ok(Math.min(...times) <= 100, `${times}`);
    });
  }
});
