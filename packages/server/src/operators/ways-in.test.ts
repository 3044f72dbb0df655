import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { authenticator } from '../../test/authenticator/authenticator.ts';
import { type Answer, onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { firstOwner, invitePerson, originOf, type Person, signIn } from '../../test/operators.ts';
import { asTenantId } from '../kernel/ids.ts';

const OPERATORS = '/api/operator-manager/operators';
const PASSKEYS = '/api/console/passkeys';
/** The time in which a request that must wait could wrongly answer. */
const PATIENCE_MS = 500;
const ROUNDS = 5;

async function refuses(answer: Promise<Answer>, code: number): Promise<void> {
  assert.equal((await answer).body?.code, code);
}

onBothEngines('the ways in which an operator signs in', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
  });
  after(() => grove.stop());

  it('100001 and 100212: an operator who has never joined, or was reset, does not become active after a suspension', async () => {
    const invited = await owner.call(OPERATORS, { body: { name: 'Nora', email: 'nora@acme.com', role: 'Owner' } });
    const joined = await invitePerson(grove, owner, 'Owner', 'Rolf Reset');
    assert.equal((await owner.call(`${OPERATORS}/${joined.id}/reset`, { body: {} })).status, 200);
    for (const id of [invited.body.operator.id, joined.id]) {
      assert.equal((await owner.call(`${OPERATORS}/${id}`, { body: { status: 'SUSPENDED' } })).status, 200);
      await refuses(owner.call(`${OPERATORS}/${id}`, { body: { status: 'ACTIVE' } }), 100001);
    }
    await refuses(owner.call(`${OPERATORS}/${owner.id}`, { method: 'DELETE' }), 100212);
    const pauses = await invitePerson(grove, owner, 'Reviewer', 'Paula Pause');
    for (const status of ['SUSPENDED', 'ACTIVE'])
      assert.equal((await owner.call(`${OPERATORS}/${pauses.id}`, { body: { status } })).body.status, status);
  });

  it('100220: of the last two passkeys one stays, even if both are removed at once', async () => {
    const person = await invitePerson(grove, owner, 'Reviewer', 'Rita Reviewer');
    const { ceremonyId, publicKey } = (await person.call(`${PASSKEYS}/start`, { body: {} })).body;
    const credential = authenticator({ origin: originOf(grove) }).create(publicKey);
    await person.call(`${PASSKEYS}/complete`, { body: { ceremonyId, credential } });
    const [first, second] = (await person.call(PASSKEYS)).body.passkeys;
    const removal = await grove.app.db.of(asTenantId('acme')).write(async (tx) => {
      // A removal that has not ended yet.
      await tx.run({ text: 'UPDATE operators SET failures = 0 WHERE tenant_id = $1 AND id = $2' }, ['acme', person.id]);
      await tx.run({ text: 'DELETE FROM operator_passkeys WHERE tenant_id = $1 AND id = $2' }, ['acme', first.id]);
      const answer = person.call(`${PASSKEYS}/${second.id}`, { method: 'DELETE' });
      await Promise.race([answer, wait(PATIENCE_MS)]);
      return { answer };
    });
    await refuses(removal.answer, 100220);
    assert.equal((await person.call(PASSKEYS)).body.passkeys.length, 1);
  });

  it('100212: of two owners who remove each other at once one stays, and neither request must be repeated', async () => {
    let [first, second] = [owner, await invitePerson(grove, owner, 'Owner', 'Otto Owner')];
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all([
        first.call(`${OPERATORS}/${second.id}`, { method: 'DELETE' }),
        second.call(`${OPERATORS}/${first.id}`, { method: 'DELETE' }),
      ]);
      const statuses = answers.map(({ status }) => status);
      // The second request comes after the removal of its own operator, or finds that only the other owner is left.
      assert.ok(statuses.includes(204) && statuses.some((status) => status === 409 || status === 401), `${statuses}`);
      if (statuses[0] !== 204) first = second;
      second = await invitePerson(grove, first, 'Owner', `Otto Owner ${round}`);
    }
    owner = first;
  });

  it('an operator who signs in more often at once than the limit of sessions is signed in each time', async () => {
    const person = await invitePerson(grove, owner, 'Reviewer', 'Vera Visitor');
    const { ceremonyId, publicKey } = (await person.call(`${PASSKEYS}/start`, { body: {} })).body;
    const device = authenticator({ origin: originOf(grove), counts: false });
    await person.call(`${PASSKEYS}/complete`, { body: { ceremonyId, credential: device.create(publicKey) } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => signIn(grove, device)));
    assert.deepEqual([...new Set(answers.map(({ text, status }) => (status === 200 ? 200 : text)))], [200]);
    const sessionList = await owner.call(`${OPERATORS}/${person.id}/sessions`);
    assert.equal(sessionList.body.sessions.length, 20);
  });
});
