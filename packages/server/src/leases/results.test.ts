import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openRepeated } from './repeated.ts';
import { openResults } from './results.ts';

const turn = () => new Promise((done) => setImmediate(done));

function logged() {
  const messages: string[] = [];
  const note = (_details: object, text: string) => void messages.push(text);
  return { messages, log: { info: note, warn: note, error: note } };
}

it('results that cannot be written are tried again, and the log says once that they wait and once that they were written', async () => {
  const { messages, log } = logged();
  let tries = 0;
  await new Promise<void>((done) => {
    const write = async () => {
      tries += 1;
      if (tries < 3) throw new Error('away');
    };
    const results = openResults<string>({ log, noun: 'jobs', write, onWritten: () => results.size === 0 && done() });
    results.add('acme', 'done');
  });
  assert.equal(tries, 3);
  assert.deepEqual(messages, ['could not save results of jobs', 'saving results of jobs works again']);
});

it('work that fails at every interval is logged once, and again when it fails after a success', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { messages, log } = logged();
  let broken = true;
  const work = async () => {
    if (broken) throw new Error('away');
  };
  const repeated = openRepeated(log);
  repeated.start(1000, work, 'could not extend leases of jobs');
  for (const isBroken of [true, true, false, true]) {
    broken = isBroken;
    t.mock.timers.tick(1000);
    await turn();
  }
  assert.deepEqual(messages, ['could not extend leases of jobs', 'could not extend leases of jobs']);
  await repeated.stop();
});
