import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { browse, firstOwner, invitePerson, type Person, type PersonRequest } from '../../../test/operators.ts';
import { asTenantId } from '../../kernel/ids.ts';

/** `npm run test:races` runs more rounds. */
const ROUNDS = Number(process.env.GROVE_RACE_ROUNDS ?? 15);
const TEST = { 'X-Grove-Environment': 'test' };

onBothEngines('two reviewers', (engine, places) => {
  let app: TestApp;
  /** On PostgreSQL each reviewer uses a server of their own. */
  let second: TestApp;
  let owner: Person;
  let people: Person[];
  let path: string;
  before(async () => {
    const place = await places.create();
    app = await openTestApp(place);
    second = engine === 'postgres' ? await openTestApp(place, { clock: app.clock }) : app;
    const testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    owner = await firstOwner(app);
    people = [await invitePerson(app, owner, 'Reviewer', 'Grace'), await invitePerson(app, owner, 'Reviewer', 'Alan')];
    const started = await startJourney(app, testKey, { parameters: { _scenario: 'face-mismatch' } });
    await started.user.finish();
    path = `/api/process-manager/reviews/${started.processInstanceId}`;
  });
  after(async () => {
    if (second !== app) await second.stop();
    await app.stop();
  });

  const act = ({ cookie }: Person, what: string, body: object = {}) => {
    const server = cookie === people[0]?.cookie ? app : second;
    return browse(server, `${path}/${what}`, { body, headers: TEST, cookie });
  };

  const makeActive = ({ id }: Person) =>
    app.app.db
      .of(asTenantId('acme'))
      .write((tx) =>
        tx.run({ text: "UPDATE operators SET status = 'ACTIVE' WHERE tenant_id = $1 AND id = $2" }, ['acme', id]),
      );

  it('100060: two reviewers never claim one case together, whoever is first', async () => {
    const winners = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = round % 2 === 0 ? people : people.toReversed();
      const answers = await Promise.all(order.map((person) => act(person, 'claim')));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
      const at = answers.findIndex(({ status }) => status === 200);
      assert.equal(answers[1 - at]?.body.code, 100060);
      winners.add(answers[at]?.body.reviewer);
      assert.equal((await act(order[at] as Person, 'release')).status, 200);
    }
    for (const name of winners) assert.match(name, /^(Grace \(grace@acme.com\)|Alan \(alan@acme.com\))$/);
  });

  it('two reviewers do not wait for a claim of a reviewer who is suspended, renamed, reset, removed or has another role', async () => {
    const claimant = await invitePerson(app, owner, 'Reviewer', 'Edgar');
    const operator = `/api/operator-manager/operators/${claimant.id}`;
    const [grace] = people as [Person];
    const ends: PersonRequest[] = [
      { body: { name: 'Edgar Frank' } },
      { body: { role: 'Auditor' } },
      { body: { status: 'SUSPENDED' } },
      { method: 'POST', body: {} },
      { method: 'DELETE' },
    ];
    for (const end of ends) {
      const assigned = await browse(app, `${path}/assign`, {
        body: { operatorId: claimant.id },
        headers: TEST,
        cookie: owner.cookie,
      });
      assert.equal(assigned.status, 200, assigned.text);
      assert.equal((await act(grace, 'claim')).body.code, 100060);
      const answer = await owner.call(end.method === 'POST' ? `${operator}/reset` : operator, end);
      assert.equal(Math.floor(answer.status / 100), 2, answer.text);
      assert.equal((await act(grace, 'claim')).status, 200);
      assert.equal((await act(grace, 'release')).status, 200);
      // The case is assigned again below, because only an operator who can sign in can have a case.
      if (end.method !== 'DELETE') await makeActive(claimant);
    }
  });

  it('two reviewers never decide one case twice', async () => {
    const verdicts = ['approve', 'reject'];
    const answers = await Promise.all(
      people.map((person, at) => act(person, verdicts[at] as string, { comment: 'looked at it' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  });
});
