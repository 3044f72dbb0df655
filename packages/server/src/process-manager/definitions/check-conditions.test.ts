import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDefinition } from './check-definition.ts';

const decide = { id: 'decide', type: 'decision' };
const consent = { id: 'consent', type: 'consent' };
const form = { id: 'ask', type: 'form', schema: { type: 'object', properties: { age: { type: 'integer' } } } };
const passport = { id: 'document', type: 'document' };

const told = (...steps: readonly unknown[]) =>
  checkDefinition({ name: 'a-journey', steps }).faults.map(({ pointer, message }) => `${pointer} ${message}`);

describe('a condition', () => {
  const when = (text: string) => told(consent, { ...form, when: text }, passport, decide);

  it('that cannot be read is a fault with its position', () => {
    assert.match(
      when('checks.consent.passed &&')[0] ?? '',
      /^\/steps\/1\/when is not a condition: .*\(at character \d+\)/,
    );
    assert.match(when('"text"')[0] ?? '', /must be true or false/);
    assert.match(when('')[0] ?? '', /^\/steps\/1\/when must not be empty$/);
  });

  it('refers only to steps and keys that come before it', () => {
    assert.deepEqual(when('checks.consent.passed && data.forms.consent.accepted'), []);
    assert.match(when('checks.consnet.passed')[0] ?? '', /"consnet", which does not exist; did you mean consent\?$/);
    assert.match(when('checks.document.passed')[0] ?? '', /the step "document", which comes later$/);
    assert.match(when('checks.ask.passed')[0] ?? '', /its own step/);
    assert.match(when('data.documents.doc1.documentType == "PASSPORT"')[0] ?? '', /which a later step gathers$/);
    assert.match(when('data.forms.consnt.accepted')[0] ?? '', /under the key "consnt"; did you mean consent\?$/);
    assert.match(when('data.faces.face1.x == 1')[0] ?? '', /data.faces, where no step keeps anything/);
  });

  it('among the settings of a step is looked at, too', () => {
    const rules = [{ when: 'checks.nothing.passed', outcome: 'PASS' }];
    assert.match(
      told(consent, { ...decide, rules })[0] ?? '',
      /^\/steps\/1\/rules\/0\/when refers to the step "nothing"/,
    );
  });

  it('of a megabyte is refused unread', () => {
    assert.deepEqual(when(`true${' || true'.repeat(150_000)}`), ['/steps/1/when must have at most 2000 characters']);
  });
});
