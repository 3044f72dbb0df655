import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isOperatorName, operatorName } from './operator-name.ts';

it('an operator without an e-mail address reads as an operator, whatever single sign-on calls them', () => {
  const nameInLog = operatorName({ name: 'API Key: Payroll', email: '' });
  assert.notEqual(nameInLog, 'API Key: Payroll');
  for (const text of [nameInLog, operatorName({ name: 'Anna', email: 'anna@acme.example' }), 'Anna（Operator\u200b）'])
    assert.ok(isOperatorName(text), text);
  for (const text of ['Anna', 'API Key: Payroll', 'Anna (team 2)']) assert.equal(isOperatorName(text), false, text);
});
