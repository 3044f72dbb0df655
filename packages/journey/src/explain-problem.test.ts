import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPassing, troubleOf } from './explain-problem.ts';
import { noAnswer, Problem, readProblem } from './problem.ts';

const problem = (code: number, status: number) => new Problem({ code, status, message: '' });

it('each code that can open or close a journey has a screen of its own', () => {
  assert.equal(troubleOf(problem(100055, 400)), 'link');
  assert.equal(troubleOf(problem(100054, 401)), 'session');
  assert.equal(troubleOf(problem(100022, 404)), 'finished');
  assert.equal(troubleOf(problem(100021, 404)), 'tokenUnknown');
  assert.equal(troubleOf(problem(100024, 409)), 'tokenEnded');
  assert.equal(troubleOf(problem(100045, 409)), 'tokenEarly');
  assert.equal(troubleOf(problem(100046, 409)), 'tokenUsedUp');
  assert.equal(troubleOf(problem(100030, 409)), 'token');
});

it('a passing trouble can be retried; a final one cannot', () => {
  for (const error of [noAnswer(), problem(100007, 429), problem(100010, 503), problem(1, 500), new Error('a bug')]) {
    assert.ok(isPassing(troubleOf(error)), String(error));
  }
  for (const code of [100055, 100054, 100022, 100021]) assert.ok(!isPassing(troubleOf(problem(code, 400))));
});

it('a problem keeps its reference, whether Grove or a proxy responds', () => {
  const headers = { requestId: 'abc', retryAfter: '7' };
  const ours = readProblem(
    400,
    '{"code":100001,"message":"Invalid","errors":[{"pointer":"/x","message":"no"}]}',
    headers,
  );
  assert.deepEqual(
    [ours.code, ours.requestId, ours.retryAfterSeconds, ours.errors],
    [100001, 'abc', 7, [{ pointer: '/x', message: 'no' }]],
  );
  for (const text of ['<html>', '', 'null', '[]', '{"code":"1"}']) {
    const other = readProblem(502, text, { requestId: null, retryAfter: null });
    assert.deepEqual([other.code, other.status, other.requestId], [1, 502, undefined], text);
  }
});
