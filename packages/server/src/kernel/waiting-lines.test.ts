import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OF_INSTALLATION, waitingLines } from './waiting-lines.ts';

describe('jobs that wait in lines', () => {
  const names = (jobs: readonly { job: string }[]) => jobs.map(({ job }) => job).join(' ');

  it('jobs that wait in lines take turns between owners, in order within each', () => {
    const lines = waitingLines<string>(100);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) lines.add(name.slice(0, 1), name);
    assert.equal(names(lines.take(5)), 'a1 b1 c1 a2 c2');
    assert.equal(lines.size, 2);
    assert.equal(names(lines.take(5)), 'a3 a4');
    assert.deepEqual(lines.take(5), []);
  });

  it('jobs that wait in lines and that there was no time for come before those of owners who were served', () => {
    const lines = waitingLines<string>(100);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) lines.add(name.slice(0, 1), name);
    const batch = lines.take(4);
    assert.equal(names(batch), 'a1 b1 c1 a2');
    lines.putBack(batch.slice(1), batch.slice(0, 1));
    assert.equal(lines.size, 5);
    assert.equal(names(lines.take(10)), 'b1 c1 a2 b2 a3');
  });

  it('jobs that wait in lines fill half of the free places for one owner, so that others find one; the installation may fill all', () => {
    const lines = waitingLines<string>(8);
    const added = (owner: string) => Array.from({ length: 9 }, () => lines.add(owner, owner)).filter(Boolean).length;
    assert.deepEqual([added('a'), added('b'), added('c')], [4, 2, 1]);
    assert.equal(added(OF_INSTALLATION), 1);
    assert.equal(lines.size, 8);
  });
});
