import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isOperatorName, operatorName } from './operator-name.ts';

it('the name of an operator in the audit log cannot be taken for that of an API key, whatever name single sign-on has', () => {
  const nameInLog = operatorName({ name: 'API Key: Payroll', email: '' });
  assert.notEqual(nameInLog, 'API Key: Payroll');
  for (const text of [nameInLog, operatorName({ name: 'Anna', email: 'anna@acme.example' }), 'Anna（Operator\u200b）'])
    assert.ok(isOperatorName(text), text);
  for (const text of ['Anna', 'API Key: Payroll', 'Anna (team 2)']) assert.equal(isOperatorName(text), false, text);
});
