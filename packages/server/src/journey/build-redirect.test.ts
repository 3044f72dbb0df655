import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillAddress, withQuery } from './read-journey.ts';

const INSTANCE = { id: 'I1', definition_id: 'D1', process_defn_name: 'on boarding&x=1#', process_defn_version: 3 };

describe('the redirect at the end of a journey', () => {
  it('the redirect at the end of a journey has encoded values in place of its placeholders', () => {
    const template =
      'https://a.example/{PROCESS_INSTANCE_ID}/{PROCESS_DNF_ID}?n={PROCESS_DNF_NAME}&v={PROCESS_DNF_VERSION}&t={PROCESS_DNF_TYPE}';
    assert.equal(
      fillAddress(template, INSTANCE, 'VERIFICATION'),
      'https://a.example/I1/D1?n=on%20boarding%26x%3D1%23&v=3&t=VERIFICATION',
    );
    assert.equal(
      fillAddress('https://a.example/{OTHER}{constructor}', INSTANCE, 'X'),
      'https://a.example/{OTHER}{constructor}',
    );
  });

  it('the redirect at the end of a journey gets the instance and the outcome before its fragment, and is otherwise unchanged', () => {
    const outcome = { processInstanceId: 'I1', status: 'In Progress' };
    const query = 'processInstanceId=I1&status=In+Progress';
    assert.equal(withQuery('https://a.example', outcome), `https://a.example?${query}`);
    assert.equal(withQuery('https://a.example/b?c=%20d#e?f#g', outcome), `https://a.example/b?c=%20d&${query}#e?f#g`);
    assert.equal(withQuery('myapp://done#x', outcome), `myapp://done?${query}#x`);
  });
});
