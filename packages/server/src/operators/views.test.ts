import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { MAX_VIEWS_PER_OPERATOR } from '@grove/contract';
import { everythingStored } from '../../test/everything-stored.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../test/harness.ts';
import { firstOwner, invitePerson, type Person } from '../../test/operators.ts';

const VIEWS = '/api/console/views';

onBothEngines('saved views', (engine, places) => {
  let place: TestPlace;
  let app: TestApp;
  let owner: Person;
  let grace: Person;
  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    owner = await firstOwner(app);
    grace = await invitePerson(app, owner, 'Reviewer', 'Grace');
  });
  after(() => app.stop());

  const save = (by: Person, name: string, search: object = {}, screen = 'reviews') =>
    by.call(VIEWS, { body: { screen, name, search } });
  const namesOf = async (by: Person) =>
    (await by.call(VIEWS)).body.views.map(({ screen, name }: Record<string, string>) => `${screen}: ${name}`);

  it('100363: saved views belong to one operator, and nobody else sees or deletes them', async () => {
    const saved = await save(grace, 'Overdue', { due: 'OVERDUE' });
    assert.equal(saved.status, 200, saved.text);
    assert.deepEqual(saved.body.search, { due: 'OVERDUE' });
    assert.deepEqual(await namesOf(grace), ['reviews: Overdue']);
    assert.deepEqual(await namesOf(owner), []);
    const remove = (by: Person) => by.call(`${VIEWS}/${saved.body.id}`, { method: 'DELETE' });
    assert.equal((await remove(owner)).body.code, 100363);
    assert.equal((await remove(grace)).status, 204);
    assert.equal((await remove(grace)).body.code, 100363);
  });

  it('saved views of the same name are replaced, and those of another list stay', async () => {
    await save(grace, 'Mine', { view: 'mine' });
    await save(grace, 'Mine', { searchString: 'x' }, 'instances');
    await save(grace, 'Mine', { view: 'free' });
    assert.deepEqual((await namesOf(grace)).toSorted(), ['instances: Mine', 'reviews: Mine']);
    const { views } = (await grace.call(VIEWS)).body;
    assert.deepEqual(views.find(({ screen }: { screen: string }) => screen === 'reviews').search, { view: 'free' });
  });

  it('saved views are nowhere in plain text, because a filter may name a person', async () => {
    await save(grace, 'The Unmistakable case', { searchString: 'Quillfeather' }, 'instances');
    assert.doesNotMatch(await everythingStored(app, place, engine), /unmistakable|quillfeather/);
  });

  it('saved views are limited in number (100065) and size, and need a session', async () => {
    assert.equal((await save(owner, '')).body.code, 100001);
    assert.equal((await save(owner, 'x', {}, '../x')).body.code, 100001);
    assert.equal((await save(owner, 'x', { a: 'x'.repeat(501) })).body.code, 100001);
    assert.equal((await owner.call(VIEWS, { cookie: null })).body.code, 100210);
    for (let at = 0; at < MAX_VIEWS_PER_OPERATOR; at += 1) await save(owner, `View ${at}`);
    assert.equal((await save(owner, 'One more')).body.code, 100065);
    assert.equal((await save(owner, 'View 3', { a: 'b' })).status, 200, 'one that is there can be replaced');
  });

  it('saved views are deleted together with their operator', async () => {
    const removed = await owner.call(`/api/operator-manager/operators/${grace.id}`, { method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
    const rows = await app.app.db
      .of('acme' as never)
      .all({ text: 'SELECT id FROM operator_views WHERE tenant_id = $1 AND operator_id = $2' }, ['acme', grace.id]);
    assert.deepEqual(rows, []);
  });
});
