import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace, testPlaces } from '../../../test/harness.ts';
import { confirm, firstOwner, invitePerson } from '../../../test/operators.ts';
import { unprepared } from '../../db/db.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { storeDerived } from '../images/save-derived.ts';
import { INSTANCE_PARTS } from './instance-parts.ts';
import { redactMetaData } from './redact-checks.ts';

const TENANT = asTenantId('acme');
const INSTANCES = '/api/process-manager/processInstances';

const FOREIGN_KEYS = {
  sqlite: `SELECT m.name AS name FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
    WHERE m.type = 'table' AND f."table" = 'process_instances' AND f."to" = 'id'`,
  postgres: `SELECT conrelid::regclass::text AS name FROM pg_constraint
    WHERE contype = 'f' AND confrelid = 'process_instances'::regclass`,
};

onBothEngines('a redaction', (engine, places) => {
  let place: TestPlace;
  let app: TestApp;
  let testKey: string;
  let token: string;

  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
  });
  after(() => app.stop());

  const post = (path: string, body: object = {}, bearer = token, headers: Record<string, string> = {}) =>
    app.call(path, { method: 'POST', body: JSON.stringify(body), token: bearer, headers });
  const get = (path: string) => app.call(path, { token });
  const redact = (id: string, bearer = token) => post(`${INSTANCES}/${id}/redact`, {}, bearer);
  const PARAMETERS = { firstName: 'Ada', lastName: 'Byrne', email: 'ada@redacted.example' };
  /** A journey that a reviewer decides, with a note and a comment. */
  const decided = async (verdict: 'approve' | 'reject' = 'approve') => {
    const started = await startJourney(app, testKey, { parameters: { _scenario: 'face-mismatch', ...PARAMETERS } });
    const id = started.processInstanceId;
    assert.equal((await started.user.finish()).waitingFor, 'review');
    const note = await post(`${INSTANCES}/${id}/notes`, { text: 'Looks like her brother' }, token, {
      'Idempotency-Key': `note-${id}`,
    });
    assert.equal(note.status, 201, note.text);
    const review = await post(`/api/process-manager/reviews/${id}/${verdict}`, { comment: 'Her own passport' });
    assert.equal(review.status, 200, review.text);
    const { body } = await get(`${INSTANCES}/${id}`);
    return { ...started, id, definitionId: body.processDefnId as string };
  };
  const dataOf = (definitionId: string, id: string) =>
    `/api/userdata-server/processDefinitions/${definitionId}/processInstances/${id}`;
  const confirmed = async (id: string) => {
    for (let tries = 0; ; tries++) {
      const { body } = await get(`/api/process-manager/erasures/${id}`);
      if (body.state === 'ERASED') return body;
      assert.ok(tries < 2000, `${id} is not confirmed: ${JSON.stringify(body)} ${app.logged()}`);
      await wait(20);
    }
  };
  const rows = (text: string, id: string) =>
    app.app.db.of(TENANT).all<Record<string, unknown>>(unprepared(text), [TENANT, id]);

  it('a redaction covers every table with data of an instance', async () => {
    const keys = await app.app.db.of(TENANT).all<{ name: string }>(unprepared(FOREIGN_KEYS[engine]), []);
    const names = new Set(keys.map(({ name }) => name).filter((name) => name !== 'process_instances'));
    const declared = INSTANCE_PARTS.filter(({ isLoose }) => !isLoose).map(({ table }) => table);
    assert.deepEqual([...names].sort(), declared.toSorted());
  });

  it('a redaction keeps the decision and removes the person', async () => {
    const { id, definitionId, user } = await decided();
    const before = (await get(`${INSTANCES}/${id}`)).body;
    const checks = (await get(`${dataOf(definitionId, id)}/userdata/checks`)).body;
    const events = (await get(`${INSTANCES}/${id}/events?size=100`)).body.content;

    const event = `INSERT INTO identity_events (tenant_id, environment, id, at, type, store_name, user_id,
      parent_process_instance_id) VALUES ($1, 'test', '01JEVENT', 1, 'USER_CREATED', 'people', '01JUSER', $2)`;
    await app.app.db.of(TENANT).write((tx) => tx.run(unprepared(event), [TENANT, id]));

    const { status, body, text } = await redact(id);
    assert.equal(status, 200, text);
    const [userEvent] = await rows(
      "SELECT user_id, parent_process_instance_id AS parent FROM identity_events WHERE tenant_id = $1 AND $2 <> '' AND id = '01JEVENT'",
      id,
    );
    assert.deepEqual([userEvent?.user_id, userEvent?.parent], ['01JUSER', null]);
    const { firstName: _f, lastName: _l, email: _e, review: _r, extendedSearchTerms: _t, ...rest } = before;
    const { redactedDtm, review, ...remaining } = body;
    assert.match(redactedDtm, /^\d{4}-/);
    assert.deepEqual(remaining, rest);
    assert.deepEqual(review, { status: 'APPROVED', reviewer: 'API Key: test' });

    const outcomeOf = ({ step, name, status, reason, score }: Record<string, unknown>) => ({
      step,
      name,
      status,
      reason,
      score,
    });
    const after = (await get(`${dataOf(definitionId, id)}/userdata/checks`)).body;
    assert.deepEqual(after.map(outcomeOf), checks.map(outcomeOf));
    const eventsAfter = (await get(`${INSTANCES}/${id}/events?size=100`)).body.content;
    assert.deepEqual(eventsAfter.slice(0, -1), events);
    assert.deepEqual([eventsAfter.at(-1).type, eventsAfter.at(-1).status], ['instance.redacted', before.status]);
    assert.equal((await post(`${dataOf(definitionId, id)}/signedResult`)).status, 200);
    const closed = (await get('/api/process-manager/closedReviews?size=1000')).body.content;
    const verdict = closed.find((each: { processInstanceId: string }) => each.processInstanceId === id);
    assert.deepEqual([verdict.verdict, verdict.comment, verdict.firstName], ['APPROVED', undefined, undefined]);

    for (const part of INSTANCE_PARTS.filter(({ redaction }) => redaction === 'remove')) {
      const own = await rows(`SELECT 1 AS one FROM ${part.table} WHERE tenant_id = $1 AND instance_id = $2`, id);
      assert.deepEqual(own, [], part.table);
    }
    const sealed = `SELECT sealed FROM journeys WHERE tenant_id = $1 AND instance_id = $2
      UNION ALL SELECT sealed FROM review_verdicts WHERE tenant_id = $1 AND instance_id = $2
      UNION ALL SELECT facts AS sealed FROM journey_sessions WHERE tenant_id = $1 AND instance_id = $2
      UNION ALL SELECT sealed FROM process_instances WHERE tenant_id = $1 AND id = $2`;
    assert.deepEqual([...new Set((await rows(sealed, id)).map((row) => row.sealed))], [null]);
    const terms = await rows('SELECT 1 AS one FROM instance_terms WHERE tenant_id = $1 AND instance_id = $2', id);
    assert.deepEqual(terms, []);
    assert.equal((await user.call()).body.code, 100054, 'the browser of the end user has no session');

    const receipt = await confirmed(id);
    assert.deepEqual(
      [receipt.reason, receipt.deletedBy, receipt.blobsRemoved > 0],
      ['REDACTION', 'API Key: test', true],
    );
    const audited = await get(`/api/process-manager/auditEvents?action=instance.redacted&processInstanceId=${id}`);
    assert.equal(audited.body.totalElements, 1);
  });

  it('100364: redacted data is refused with this code at every address', async () => {
    const { id, definitionId } = await decided();
    const place = dataOf(definitionId, id);
    const { body: data } = await get(`${place}/userdata`);
    const [document] = Object.values(data.documents) as { images: Record<string, { path: string }> }[];
    const path = Object.values(document?.images ?? {})[0]?.path ?? '';
    await redact(id);
    const reads = [
      await get(`${place}/userdata`),
      await get(`${place}/getdata?path=${encodeURIComponent(path)}`),
      await post(`${place}/userdataarchive`),
      await get(`${INSTANCES}/${id}/withParameters`),
      await get(`${INSTANCES}/${id}/links`),
      await get(`${INSTANCES}/${id}/sessions`),
      await get(`${INSTANCES}/${id}/notes`),
      await post(`${INSTANCES}/${id}/notes`, { text: 'more' }),
      await post(`/api/process-manager/reviews/${id}/reopen`, { comment: 'again' }),
      // The stored answer for this Idempotency-Key is gone, because it contained the note.
      await post(`${INSTANCES}/${id}/notes`, { text: 'Looks like her brother' }, token, {
        'Idempotency-Key': `note-${id}`,
      }),
    ];
    assert.deepEqual(
      reads.map(({ status, body }) => [status, body.code]),
      reads.map(() => [410, 100364]),
    );
  });

  it('a redaction hides the instance from searches for the person, keeps it in lists and counts, and removes it from earlier exports', async () => {
    const { id, definitionId } = await decided('reject');
    const search = async (word: string) =>
      (await get(`${INSTANCES}/search?searchString=${word}&size=1000`)).body.content.map(
        (each: { id: string }) => each.id,
      );
    assert.ok((await search('redacted.example')).includes(id) || (await search(PARAMETERS.email)).includes(id));
    const { body: exportRow } = await post('/api/process-manager/exports', { format: 'JSON' });
    for (let tries = 0; tries < 2000; tries++) {
      if ((await get(`/api/process-manager/exports/${exportRow.id}`)).body.state === 'DONE') break;
      await wait(20);
    }
    const day = new Date(app.clock.now()).toISOString().slice(0, 10);
    const usage = async () => (await get(`/api/process-manager/usage?from=${day}&to=${day}`)).body;
    const total = async () => (await get(`${INSTANCES}?size=1`)).body.totalElements;
    const { body: version } = await get(`/api/process-manager/processDefinitions/${definitionId}`);
    const whatIf = async () => {
      const body = { definition: version.document, startDateTime: `${day}T00:00:00.000Z` };
      const answer = await post('/api/process-manager/whatIf', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const figures = [await usage(), await total(), await whatIf()];
    await redact(id);
    assert.ok(!(await search(PARAMETERS.email)).includes(id));
    assert.ok((await search(id)).includes(id), 'by its id');
    assert.deepEqual([await usage(), await total(), await whatIf()], figures);
    const file = await fetch(`${app.baseUrl}/api/process-manager/exports/${exportRow.id}/file`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    const exported = ((await file.json()) as Record<string, unknown>[]).find((each) => each.id === id);
    assert.deepEqual(
      [exported?.firstName, exported?.email, typeof exported?.redactedDtm],
      [undefined, undefined, 'string'],
    );
  });

  it('100056: a redaction is refused until the journey has ended, also while a reviewer has claimed it', async () => {
    const started = await startJourney(app, testKey, { parameters: { _scenario: 'face-mismatch', ...PARAMETERS } });
    const id = started.processInstanceId;
    assert.equal((await redact(id)).body.code, 100056);
    await started.user.finish();
    assert.equal((await post(`/api/process-manager/reviews/${id}/claim`)).status, 200);
    const refusal = await redact(id);
    assert.deepEqual([refusal.status, refusal.body.code], [409, 100056]);
    assert.match(refusal.text, /under way/);
    assert.equal((await get(`${INSTANCES}/${id}`)).body.firstName, 'Ada');
    assert.equal((await post(`/api/process-manager/reviews/${id}/approve`, { comment: 'Hers' })).status, 200);
    assert.equal((await redact(id)).status, 200);
  });

  it('a redaction that many callers request at once happens once', async () => {
    const { id } = await decided();
    const answers = await Promise.all(Array.from({ length: 8 }, () => redact(id)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ body }) => body.redactedDtm)).size, 1);
    app.clock.advance(MINUTE);
    assert.deepEqual((await redact(id)).body, answers[0]?.body);
    const events = (await get(`${INSTANCES}/${id}/events?size=100`)).body.content;
    assert.equal(events.filter(({ type }: { type: string }) => type === 'instance.redacted').length, 1);
  });

  it('a redaction can be followed by a deletion, but not the other way round', async () => {
    const { id } = await decided();
    await redact(id);
    assert.equal((await app.call(`${INSTANCES}/${id}`, { method: 'DELETE', token })).status, 200);
    assert.equal((await confirmed(id)).reason, 'REQUEST');
    const again = await redact(id);
    assert.deepEqual([again.status, again.body.code], [404, 100022]);
    const left = 'SELECT state FROM redactions WHERE tenant_id = $1 AND instance_id = $2';
    for (let tries = 0; (await rows(left, id))[0]?.state !== 'ERASED'; tries++) {
      assert.ok(tries < 2000, 'the images of the redaction go, too');
      await wait(20);
    }
  });

  it('a redaction removes the parameters of a process token whose instances are all redacted', async () => {
    const { id } = await decided();
    const { body } = await get(`${INSTANCES}/${id}/withParameters`);
    await redact(id);
    const { body: of } = await get(`/api/process-manager/processTokens/${body.processTokenId}`);
    assert.doesNotMatch(JSON.stringify(of), /Ada|Byrne|redacted\.example/);
  });

  it('a redaction of a parent includes its children, and that of a child does not change the parent', async () => {
    const consent = { id: 'consent', type: 'consent' };
    const decide = { id: 'decide', type: 'decision', onAnyFailure: 'FAIL' };
    const deploy = async (definition: object) => {
      const { body } = await post('/api/process-manager/processDefinitions', definition);
      assert.equal((await post(`/api/process-manager/processDefinitions/${body.id}/deploy`)).status, 200);
    };
    await deploy({ name: `redacted-child`, steps: [consent, decide] });
    const sub = { id: 'sub', type: 'subprocess', definition: 'redacted-child', parameters: { firstName: 'Ada' } };
    await deploy({ name: `redacted-parent`, steps: [sub, decide] });
    const family = async () => {
      const { user, processInstanceId } = await startJourney(app, testKey, {
        processDefnName: 'redacted-parent',
        parameters: { firstName: 'Ada' },
      });
      await user.look();
      const [child] = await rows(
        'SELECT id FROM process_instances WHERE tenant_id = $1 AND parent_id = $2',
        processInstanceId,
      );
      return { user, parent: processInstanceId, child: child?.id as string };
    };
    const first = await family();
    assert.equal((await redact(first.child)).body.code, 100056, 'the journey is that of the parent');
    await first.user.finish();
    assert.equal((await redact(first.child)).status, 200);
    assert.equal((await get(`${INSTANCES}/${first.parent}`)).body.firstName, 'Ada');
    assert.equal((await redact(first.parent)).status, 200);
    const second = await family();
    await second.user.finish();
    assert.equal((await redact(second.parent)).status, 200);
    for (const id of [second.parent, second.child, first.parent, first.child]) {
      const { body } = await get(`${INSTANCES}/${id}`);
      assert.deepEqual([body.firstName, typeof body.redactedDtm], [undefined, 'string'], id);
      await confirmed(id);
    }
  });

  it('a redaction notifies its subscribers once, without personal data', async () => {
    const { id } = await decided();
    const hook = { name: `redactions-${engine}`, uri: 'https://hooks.example/', events: ['instance.redacted'] };
    const { body: webhook, text } = await post('/api/notification-service/webhooks', hook);
    assert.ok(webhook.id ?? webhook.name, text);
    await redact(id);
    await redact(id);
    const payloads = await rows(
      "SELECT payload FROM webhook_deliveries WHERE tenant_id = $1 AND instance_id = $2 AND event = 'instance.redacted'",
      id,
    );
    assert.equal(payloads.length, 1);
    assert.doesNotMatch(String(payloads[0]?.payload), /Ada|Byrne|redacted\.example/);
  });

  it('a redaction is refused to other tenants, the other environment, and callers without the permission', async () => {
    const { id } = await decided();
    const live = await redact(id, await app.token());
    assert.deepEqual([live.status, live.body.code], [404, 100022]);
    const permissions = ['TNT#acme#ProcessManager:deleteProcessInstance'];
    const scoped = await post('/api/arthr/apiKeys', { name: 'deletes', environment: 'test', permissions });
    assert.equal(scoped.status, 201, scoped.text);
    const without = await redact(id, await app.token(scoped.body.code));
    assert.deepEqual([without.status, without.body.code], [403, 7]);
    const { apiKey } = await app.app.tenants.create({ id: 'redacting' });
    const stranger = await redact(id, await app.token(apiKey));
    assert.deepEqual([stranger.status, stranger.body.code], [404, 100022]);
    assert.equal((await get(`${INSTANCES}/${id}`)).body.firstName, 'Ada');
  });

  it('a redaction cannot be undone by work that finishes later', async () => {
    const { id } = await decided();
    await redact(id);
    const { vault, db } = app.app;
    const blobs = { put: () => assert.fail('nothing is stored') };
    const owner = { instanceId: id, step: 'document', attempt: 1, now: app.clock.now() };
    const image = { name: 'portrait', contentType: 'image/jpeg', bytes: Buffer.from('x') };
    assert.deepEqual(await storeDerived({ vault, blobs } as never, db.of(TENANT), [image] as never, owner), []);
    const keys = await rows("SELECT 1 AS one FROM data_keys WHERE tenant_id = $1 AND subject = 'instance:' || $2", id);
    assert.deepEqual(keys, [], 'no key is made again');
  });

  it('a redaction by a killed server, before the images were deleted, is finished by the next server', async () => {
    const { id } = await decided();
    await redact(id);
    await confirmed(id);
    await app.app.db.of(TENANT).write((tx) =>
      tx.run(
        unprepared(`UPDATE redactions SET state = 'ERASING', receipt = NULL, confirmed_at = NULL
          WHERE tenant_id = $1 AND instance_id = $2`),
        [TENANT, id],
      ),
    );
    await app.stop();
    app = await openTestApp(place);
    token = await app.token(testKey);
    assert.ok((await confirmed(id)).receipt);
  });
});

describe('an operator who redacts', () => {
  const places = testPlaces();
  let app: TestApp;
  before(async () => {
    app = await openTestApp(await places.create());
  });
  after(async () => {
    await app.stop();
  });

  it('100211: an operator who redacts must have signed in recently, and hold the permission', async () => {
    const owner = await firstOwner(app);
    const developer = await invitePerson(app, owner, 'Developer');
    const reviewer = await invitePerson(app, owner, 'Reviewer');
    const body = JSON.stringify({ name: 'one', processDefnName: 'document-only', parameters: { firstName: 'Ada' } });
    const { body: processToken } = await app.call('/api/process-manager/processTokens', { method: 'POST', body });
    const { body: created } = await app.call(`${INSTANCES}/create?pt=${processToken.id}`, { method: 'POST' });
    const id = created.processInstanceId;
    assert.equal((await app.call(`${INSTANCES}/${id}/cancel`, { method: 'POST', body: '{}' })).status, 200);
    const path = `${INSTANCES}/${id}/redact`;
    for (const person of [developer, reviewer]) assert.equal((await person.call(path, { body: {} })).body.code, 7);
    app.clock.advance(10 * MINUTE);
    const stale = await owner.call(path, { body: {} });
    assert.deepEqual([stale.status, stale.body.code], [403, 100211]);
    assert.equal((await confirm(owner)).status, 200);
    const fresh = await owner.call(path, { body: {} });
    assert.equal(fresh.status, 200, fresh.text);
    const audited = await app.call(`/api/process-manager/auditEvents?action=instance.redacted&processInstanceId=${id}`);
    assert.equal(audited.body.content[0].actor, 'Olga Owner (olga@acme.com)');
  });
});

describe('the other data of a check', () => {
  it('the other data of a check loses the names and values of the person in a redaction, and keeps how it was assessed', () => {
    const metaData = {
      engine: 'grove',
      method: 'active',
      hints: [],
      fields: { firstName: 'differs' },
      differ: ['visual.number'],
      candidates: [
        { processInstanceId: '01J', score: 0.7 },
        { memberId: 'x', name: 'Ada', score: 0.6 },
      ],
      compared: 3,
    };
    assert.deepEqual(redactMetaData(metaData), {
      engine: 'grove',
      method: 'active',
      hints: [],
      compared: 3,
      candidates: [{ score: 0.7 }, { score: 0.6 }],
    });
    assert.deepEqual(redactMetaData({ candidates: [null] }), { candidates: [{ score: 0 }] });
    assert.deepEqual(redactMetaData({}), {});
  });
});
