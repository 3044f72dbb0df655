import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { marksPersonal, operations } from '@grove/contract';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { firstOwner, invitePerson, type Person } from '../../test/operators.ts';
import { newId } from '../kernel/ids.ts';

const IN_TEST = { 'X-Grove-Environment': 'test' };
const PERMISSIONS = [
  'ProcessManager:*',
  'UserDataServer:*',
  'OperatorManager:*',
  'ArthrServer:*',
  'NotificationService:*',
  'IdentityStore:*',
  'WatchlistManager:*',
  'PersonRequests:*',
];
const withTenant = (permissions: readonly string[]) => permissions.map((each) => `TNT#acme#${each}`);

onBothEngines('a role that sees personal data masked', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  let masked: Person;
  let id: string;
  let definitionId: string;
  const read = (person: Person, path: string) => person.call(path, { headers: IN_TEST });
  const userData = () => `/api/userdata-server/processDefinitions/${definitionId}/processInstances/${id}`;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
    const role = { name: 'Front desk', permissions: withTenant(PERMISSIONS), masked: true };
    const creation = await owner.call('/api/operator-manager/roles', { body: role });
    assert.deepEqual([creation.status, creation.body.masked], [201, true], creation.text);
    masked = await invitePerson(grove, owner, 'Front desk');
    const { apiKey } = await grove.app.tenants.createApiKey(grove.tenantId, { name: 'test', environment: 'test' });
    const parameters = {
      firstName: 'Saoirse',
      lastName: 'Byrne',
      email: 'saoirse@example.com',
      externalReference: 'saoirse@crm',
    };
    const started = await startJourney(grove, apiKey, { parameters });
    await started.user.finish();
    id = started.processInstanceId;
    const { body } = await read(owner, `/api/process-manager/processInstances/${id}`);
    definitionId = body.processDefnId;
  });
  after(() => grove.stop());

  it('a role that sees personal data masked sees no name, address, value or parameter of a person, in any list or single read', async () => {
    const paths = [
      '/api/process-manager/processInstances',
      '/api/process-manager/processInstances/search?searchString=Saoirse',
      `/api/process-manager/processInstances/${id}`,
      `/api/process-manager/processInstances/${id}/withParameters`,
      `${userData()}/userdata`,
      `${userData()}/userdata/checks`,
    ];
    for (const path of paths) {
      const [plain, hidden] = [await read(owner, path), await read(masked, path)];
      assert.deepEqual([plain.status, hidden.status], [200, 200], path);
      assert.doesNotMatch(hidden.text, /Saoirse|Byrne|saoirse@/i, path);
      assert.notEqual(plain.text, hidden.text, path);
    }
    const { body } = await read(masked, `/api/process-manager/processInstances/${id}`);
    assert.deepEqual([body.firstName, body.lastName, body.email], ['S•••', 'B•••', 's•••']);
    assert.equal(body.id, id);
    const [plain, hidden] = [await read(owner, `${userData()}/userdata`), await read(masked, `${userData()}/userdata`)];
    const [field] =
      Object.values<{ biographicData: { values: object }[] }>(hidden.body.documents)[0]?.biographicData ?? [];
    assert.ok(Object.values(field?.values ?? {}).every((value) => value.includes('•••')));
    assert.equal(hidden.body._decision, plain.body._decision);
  });

  it('100366: a role that sees personal data masked gets no image, no archive and no export', async () => {
    const { body } = await read(owner, `${userData()}/userdata`);
    const [document] = Object.values<{ images: Record<string, { path: string }> }>(body.documents);
    const path = `${userData()}/getdata?path=${encodeURIComponent(document?.images.front?.path ?? '')}`;
    assert.equal((await read(owner, path)).status, 200);
    for (const headers of [IN_TEST, { ...IN_TEST, Accept: 'image/*' }]) {
      const { status, body: problem } = await masked.call(path, { headers });
      assert.deepEqual([status, problem.code], [403, 100366]);
    }
    const archive = await masked.call(`${userData()}/userdataarchive`, { body: {}, headers: IN_TEST });
    assert.deepEqual([archive.status, archive.body.code], [403, 100366]);
    const webhook = {
      name: 'out',
      uri: 'https://example.com/',
      events: ['*'],
      bodyTemplate: '{"n": "{{parameters.firstName}}"}',
    };
    const answer = await masked.call('/api/notification-service/webhooks', { body: webhook });
    assert.deepEqual([answer.status, answer.body.code], [403, 100366], answer.text);
    const { bodyTemplate, ...plainWebhook } = webhook;
    const { body: webhookView } = await owner.call('/api/notification-service/webhooks', { body: plainWebhook });
    const changed = await masked.call(`/api/notification-service/webhooks/${webhookView.id}`, {
      body: { bodyTemplate },
    });
    assert.deepEqual([changed.status, changed.body.code], [403, 100366], changed.text);
    const request = await masked.call(`/api/userdata-server/personRequests/${newId(0)}/archive`, { body: {} });
    assert.deepEqual([request.status, request.body.code], [403, 100366], request.text);
    for (const path of ['', `/${newId(0)}/file`]) {
      const exported = await masked.call(`/api/process-manager/exports${path}`, { body: {}, headers: IN_TEST });
      assert.deepEqual([exported.status, exported.body.code], [403, 100366], exported.text);
    }
  });

  it('a role that sees personal data masked finds nobody by a part of a name, because names could be guessed letter by letter from matchCount', async () => {
    const matchCount = async (person: Person, word: string) =>
      (await read(person, `/api/process-manager/processInstances/search?searchString=${word}`)).body.totalElements;
    assert.deepEqual([await matchCount(owner, 'saoir'), await matchCount(owner, 'saoirse')], [1, 1]);
    assert.deepEqual([await matchCount(masked, 'saoir'), await matchCount(masked, 'saoirse')], [0, 1]);
    const store = { name: 'customers' };
    assert.equal((await owner.call('/api/identity-store/stores', { body: store, headers: IN_TEST })).status, 201);
    const users = '/api/identity-store/stores/customers/users';
    assert.equal((await owner.call(users, { body: { extId: 'saoirse' }, headers: IN_TEST })).status, 201);
    const { body: list } = await owner.call('/api/watchlist-manager/facewatchlists', {
      body: { name: 'blocked', type: 'EMAIL' },
      headers: IN_TEST,
    });
    const members = `/api/watchlist-manager/facewatchlists/${list.id}/watchlist-members`;
    for (const [path, whole] of [
      [`${users}?extId=`, 'saoirse'],
      [`${members}?name=`, 'byrne'],
    ]) {
      for (const part of ['s%25', '%25e%25', 's_oirse']) {
        const { status, body } = await read(masked, `${path}${part}`);
        assert.deepEqual([status, body.code], [400, 100001], `${path}${part}`);
        assert.equal((await read(owner, `${path}${part}`)).status, 200, `${path}${part}`);
      }
      assert.equal((await read(masked, `${path}${whole}`)).status, 200, path);
    }
  });

  it('a role that sees personal data masked sees a user masked in a refused authentication, too', async () => {
    const users = '/api/identity-store/stores/refused/users';
    await owner.call('/api/identity-store/stores', { body: { name: 'refused' }, headers: IN_TEST });
    const input = { extId: 'saoirse@crm', attributes: { city: 'Dublin' } };
    const { body: user } = await owner.call(users, { body: input, headers: IN_TEST });
    const path = `${users}/${user.id}/biometrics/FACE`;
    const refusalFor = (person: Person) => person.call(path, { body: { status: 'DISABLED' }, headers: IN_TEST });
    const [plain, hidden] = [await refusalFor(owner), await refusalFor(masked)];
    assert.deepEqual([plain.body.code, hidden.body.code], [20114, 20114]);
    assert.equal(plain.body.user.extId, 'saoirse@crm');
    const { id: userId, extId, attributes } = hidden.body.user;
    assert.deepEqual([userId, extId, attributes], [user.id, 's•••', { city: 'D•••' }]);
  });

  it('a role that sees personal data masked cannot sort by a masked value, because names could be found between two others', async () => {
    await owner.call('/api/identity-store/stores', { body: { name: 'sorted' }, headers: IN_TEST });
    const watchlist = { name: 'sorted', type: 'EMAIL' };
    const { body: list } = await owner.call('/api/watchlist-manager/facewatchlists', {
      body: watchlist,
      headers: IN_TEST,
    });
    const users = '/api/identity-store/stores/sorted/users';
    const members = `/api/watchlist-manager/facewatchlists/${list.id}/watchlist-members`;
    for (const path of [`${users}?sort=extId`, `${members}?sort=lastName,desc`, `${members}?sort=firstName`]) {
      const { status, body } = await read(masked, path);
      assert.deepEqual([status, body.errors?.[0].pointer], [400, '/query/sort/0'], path);
      assert.equal((await read(owner, path)).status, 200, path);
    }
    for (const path of [users, members])
      assert.equal((await read(masked, `${path}?sort=createdDtm`)).status, 200, path);
  });

  it('100366: a role that sees personal data masked cannot open a journey, which shows the end user’s data', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey(grove.tenantId, { name: 'links', environment: 'test' });
    const { processInstanceId } = await startJourney(grove, apiKey, { parameters: { firstName: 'Saoirse' } });
    const path = `/api/process-manager/processInstances/${processInstanceId}/resumeLink`;
    const { status, body } = await masked.call(path, { body: {}, headers: IN_TEST });
    assert.deepEqual([status, body.code], [403, 100366]);
    assert.equal((await owner.call(path, { body: {}, headers: IN_TEST })).status, 201);
    const send = (person: Person, to: object) => person.call(`${path}/send`, { body: to, headers: IN_TEST });
    const mine = { to: 'me@example.com' };
    assert.equal((await send(masked, mine)).body.code, 100366);
    // This server sends no e-mail.
    assert.deepEqual([(await send(masked, {})).body.code, (await send(owner, mine)).body.code], [100160, 100160]);
  });

  it('a role that sees personal data masked does not see the link when it asks an end user again', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey(grove.tenantId, { name: 'asked', environment: 'test' });
    const parameters = { firstName: 'Saoirse', lastName: 'Byrne', dateOfBirth: '1990-01-31' };
    const { user, processInstanceId } = await startJourney(grove, apiKey, { parameters });
    await user.submit('consent', { accepted: true });
    await user.upload('document', 'front', { person: 'ada', fields: { 'Date Of Birth': '1996-01-31' } });
    await user.submit('document');
    assert.equal((await user.finish()).waitingFor, 'review');
    const answer = await masked.call(`/api/process-manager/reviews/${processInstanceId}/askAgain`, {
      body: { steps: ['document'], comment: 'blurred' },
      headers: IN_TEST,
    });
    assert.deepEqual([answer.status, answer.body.redirectUrl], [200, 'h•••'], answer.text);
  });

  it('a role that sees personal data masked can give nobody a role, an invitation or an API key that sees it unmasked', async () => {
    const open = await masked.call('/api/operator-manager/roles', { body: { name: 'Open', permissions: [] } });
    assert.deepEqual([open.status, open.body.code], [403, 100015], open.text);
    const uncovered = await masked.call('/api/operator-manager/roles/Front%20desk', { body: { masked: false } });
    assert.deepEqual([uncovered.status, uncovered.body.code], [403, 100015], uncovered.text);
    const invited = { name: 'Rita', email: 'rita@acme.com', role: 'Reviewer' };
    const reviewer = await masked.call('/api/operator-manager/operators', { body: invited });
    assert.deepEqual([reviewer.status, reviewer.body.code], [403, 100015], reviewer.text);
    const key = (permissions: readonly string[]) =>
      masked.call('/api/arthr/apiKeys', { body: { name: 'mine', permissions: withTenant(permissions) } });
    for (const each of [
      'ProcessManager:getProcessInstance',
      'ProcessManager:*',
      'UserDataServer:*',
      'ProcessManager:createResumeLink',
      'ProcessManager:askAgainReview',
      'IdentityStore:authenticateFace',
    ]) {
      const { status, body } = await key([each]);
      assert.deepEqual([status, body.code], [403, 100015], each);
    }
    assert.equal((await key(['ProcessManager:listProcessDefinitions'])).status, 201);
    const closed = { name: 'Closed', permissions: [], masked: true };
    assert.equal((await masked.call('/api/operator-manager/roles', { body: closed })).status, 201);
  });

  it('a role that is masked applies at once to everybody who has it, and the session says so', async () => {
    assert.equal((await masked.call('/api/console/session')).body.masked, true);
    const path = '/api/operator-manager/roles/Front%20desk';
    assert.equal((await owner.call(path, { body: { masked: false } })).body.masked, false);
    const { body } = await read(masked, `/api/process-manager/processInstances/${id}`);
    assert.equal(body.firstName, 'Saoirse');
    assert.equal((await owner.call(path, { body: { masked: true } })).body.masked, true);
  });

  it('the role of auditors sees personal data masked', async () => {
    const auditor = await invitePerson(grove, owner, 'Auditor');
    const { body } = await read(auditor, '/api/process-manager/processInstances');
    assert.equal(body.content[0].firstName, 'S•••');
  });
});

/** The answers that show persons only by ids and times, which identify nobody. */
const NOTHING_PERSONAL = ['userData.signResult', 'users.listAuthentications'];

describe('personal data in the contract', () => {
  it('personal data is marked in the contract for every answer that shows persons', () => {
    const unmarked = operations().flatMap(({ group, name, operation }) => {
      const { persons, produces, alsoProduces, ok } = operation;
      const isRefused = produces !== undefined || alsoProduces !== undefined;
      return persons && !isRefused && !marksPersonal(ok) ? [`${group}.${name}`] : [];
    });
    assert.deepEqual(unmarked.toSorted(), NOTHING_PERSONAL);
  });
});
