import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, startJourney } from '../../../test/end-user.ts';
import { type Answer, onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { confirm, firstOwner, invitePerson, type Person } from '../../../test/operators.ts';
import { asTenantId } from '../../kernel/ids.ts';

const TEST = { 'X-Grove-Environment': 'test' };
const LIVE = { 'X-Grove-Environment': 'live' };

onBothEngines('the case of a reviewer', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let owner: Person;
  let grace: Person;
  let alan: Person;
  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    owner = await firstOwner(app);
    grace = await invitePerson(app, owner, 'Reviewer', 'Grace');
    alan = await invitePerson(app, owner, 'Reviewer', 'Alan');
  });
  after(() => app.stop());

  const journey = async (parameters: Record<string, string> = {}) => {
    const started = await startJourney(app, testKey, { parameters: { _scenario: 'face-mismatch', ...parameters } });
    await started.user.finish();
    return started.processInstanceId;
  };
  const linksOf = async (id: string, by = grace) =>
    (await by.call(`/api/process-manager/processInstances/${id}/links`, { headers: TEST })).body.links;

  it('the case of a reviewer shows which instances share a document number, an e-mail address or a telephone number', async () => {
    const ada = { documentNumber: 'X-1234 567', email: 'ada@example.com', phoneNumber: '+49 176 1234567' };
    const first = await journey(ada);
    const second = await journey({
      ...ada,
      email: 'Ada@EXAMPLE.com',
      phoneNumber: '0049 176 123 4567',
      firstName: 'Ada',
    });
    const stranger = await journey({ documentNumber: 'Y7654321', email: 'bob@example.com' });
    const [link, ...others] = await linksOf(first);
    assert.deepEqual(others, []);
    assert.equal(link.processInstanceId, second);
    assert.equal(link.firstName, 'Ada');
    assert.deepEqual(link.shares.toSorted(), ['DOCUMENT_NUMBER', 'EMAIL', 'PHONE']);
    assert.deepEqual(await linksOf(stranger), []);
  });

  it('the case of a reviewer stores no shared value in plain text, and nothing once one of the instances is deleted', async () => {
    const secret = { documentNumber: 'ZZ99887766', email: 'needle@haystack.example' };
    const ids = [await journey(secret), await journey(secret)];
    const rows = () =>
      app.app.db
        .of(asTenantId('acme'))
        .all<Record<string, unknown>>({ text: 'SELECT * FROM instance_links WHERE tenant_id = $1' }, ['acme']);
    const stored = await rows();
    assert.ok(stored.some(({ instance_id }) => instance_id === ids[0]));
    assert.doesNotMatch(JSON.stringify(stored), /ZZ99887766|needle|haystack/i);
    const token = await app.token(testKey);
    await app.call(`/api/process-manager/processInstances/${ids[1]}`, { method: 'DELETE', token });
    assert.ok((await rows()).every(({ instance_id }) => instance_id !== ids[1]));
    assert.deepEqual(await linksOf(ids[0] as string), []);
  });

  it('the case of a reviewer shows that one browser has opened two instances, and ignores forged cookies', async () => {
    const one = await startJourney(app, testKey);
    const token = await app.token(testKey);
    const open = async (cookie: string) => {
      const creation = await startJourneyUnopened(token);
      const body = JSON.stringify({ code: codeOf(creation.redirectUrl) });
      const opened = await app.call('/api/journey/sessions', {
        method: 'POST',
        body,
        token: null,
        headers: { cookie, 'Content-Type': 'application/json' },
      });
      assert.equal(opened.status, 200, opened.text);
      return creation.processInstanceId as string;
    };
    const same = await open(one.user.cookie);
    const forged = await open(one.user.cookie.replace(/.{43}$/, 'A'.repeat(43)));
    const links = await linksOf(one.processInstanceId);
    assert.deepEqual(
      links.map(({ processInstanceId, shares }: { processInstanceId: string; shares: string[] }) => [
        processInstanceId,
        shares.join(),
      ]),
      [[same, 'DEVICE']],
    );
    assert.deepEqual(await linksOf(forged), []);
  });

  it('the case of a reviewer has no link of a browser to an instance that is redacted or deleted at the same moment', async () => {
    const rounds = 24;
    for (let round = 0; round < rounds; round++) {
      const one = await startJourney(app, testKey);
      const token = await app.token(testKey);
      const at = `/api/process-manager/processInstances/${one.processInstanceId}`;
      const creation = await startJourneyUnopened(token);
      await app.call(`${at}/cancel`, { method: 'POST', token });
      const headers = { cookie: one.user.cookie, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ code: codeOf(creation.redirectUrl) });
      const remove = async () => {
        await wait(round / 4);
        if (round % 2) return app.call(`${at}/redact`, { method: 'POST', body: '{}', token });
        return app.call(at, { method: 'DELETE', token });
      };
      const [opened, removed] = await Promise.all([
        app.call('/api/journey/sessions', { method: 'POST', body, token: null, headers }),
        remove(),
      ]);
      assert.deepEqual([opened.status, removed.status], [200, 200], `${opened.text} ${removed.text}`);
      const rows = await app.app.db
        .of(asTenantId('acme'))
        .all({ text: 'SELECT 1 AS one FROM instance_links WHERE tenant_id = $1 AND instance_id = $2' }, [
          'acme',
          one.processInstanceId,
        ]);
      assert.deepEqual(rows, [], `round ${round}`);
    }
  });

  const startJourneyUnopened = async (token: string) => {
    const tokens = await app.call('/api/process-manager/processTokens?size=1', { token });
    const path = `/api/process-manager/processInstances/create?pt=${tokens.body.content[0].id}`;
    return (await app.call(path, { method: 'POST', token })).body;
  };

  const note = (id: string, by: Person, body: object, headers = TEST): Promise<Answer> =>
    by.call(`/api/process-manager/processInstances/${id}/notes`, { body, headers });

  it('the case of a reviewer has notes that mention colleagues, who find them; the database contains no word of them in plain text', async () => {
    const id = await journey();
    const text = 'Peculiar hologram, @Alan please look';
    const added = await note(id, grace, { text, mentions: [alan.id] });
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(added.body.mentions, [{ operatorId: alan.id, name: 'Alan' }]);
    assert.equal(added.body.author, 'Grace (grace@acme.com)');
    const listed = await alan.call(`/api/process-manager/processInstances/${id}/notes`, { headers: TEST });
    assert.deepEqual(listed.body.content, [added.body]);
    const mine = await alan.call('/api/process-manager/noteMentions', { headers: TEST });
    assert.deepEqual(
      mine.body.content.map((each: { text: string }) => each.text),
      [text],
    );
    assert.equal((await alan.call('/api/process-manager/noteMentions', { headers: LIVE })).body.totalElements, 0);
    assert.equal((await grace.call('/api/process-manager/noteMentions', { headers: TEST })).body.totalElements, 0);
    const rows = await app.app.db
      .of(asTenantId('acme'))
      .all<{ sealed: Uint8Array }>({ text: 'SELECT sealed FROM instance_notes WHERE tenant_id = $1' }, ['acme']);
    for (const { sealed } of rows) assert.ok(!Buffer.from(sealed).includes('hologram'));
  });

  it('the case of a reviewer refuses a note about an instance of the other environment, and a mention of an unknown operator', async () => {
    const id = await journey();
    assert.deepEqual((await note(id, grace, { text: 'hello' }, LIVE)).body.code, 100022);
    const faulty = await note(id, grace, { text: 'hello', mentions: ['01JZ4MCW8A0C2E4G6J8M0P2R4T'] });
    assert.equal(faulty.status, 400);
    assert.equal(faulty.body.errors[0].pointer, '/mentions/0');
    const auditor = await invitePerson(app, owner, 'Auditor', 'Anna');
    assert.equal(
      (await auditor.call(`/api/process-manager/processInstances/${id}/notes`, { headers: TEST })).status,
      403,
    );
    assert.equal(
      (await auditor.call(`/api/process-manager/processInstances/${id}/links`, { headers: TEST })).status,
      403,
    );
  });

  it('100065: an instance has at most a thousand notes', async () => {
    const id = await journey();
    const rows = Array.from({ length: 1000 }, (_, at) => `($1, 'note ${at}', $2, 'test', ${at}, 'Grace', $3)`);
    const text = `INSERT INTO instance_notes (tenant_id, id, instance_id, environment, at, author, sealed)
      VALUES ${rows.join(', ')}`;
    await app.app.db.of(asTenantId('acme')).write((tx) => tx.run({ text }, ['acme', id, Buffer.alloc(1)]));
    const refusal = await note(id, grace, { text: 'one more' });
    assert.deepEqual([refusal.status, refusal.body.code], [409, 100065], refusal.text);
  });

  it('the case of a reviewer is assigned by an operator with the permission: then nobody else can decide it for a day, and an earlier claim ends', async () => {
    const id = await journey();
    const act = (by: Person, what: string, body: object = {}) =>
      by.call(`/api/process-manager/reviews/${id}/${what}`, {
        method: 'POST',
        body,
        headers: TEST,
      });
    assert.equal((await act(grace, 'claim')).body.reviewer, 'Grace (grace@acme.com)');
    assert.equal((await act(grace, 'assign', { operatorId: alan.id })).body.code, 7);
    const stranger = await act(owner, 'assign', { operatorId: '01JZ4MCW8A0C2E4G6J8M0P2R4T' });
    assert.deepEqual([stranger.body.code, stranger.body.errors[0].pointer], [100001, '/operatorId']);
    const { body: assigned } = await act(owner, 'assign', { operatorId: alan.id });
    assert.equal(assigned.reviewer, 'Alan (alan@acme.com)');
    assert.equal((await act(grace, 'approve', { comment: 'ok' })).body.code, 100060);
    // A claim by the assigned operator does not shorten the assignment.
    assert.equal((await act(alan, 'claim')).body.claimedUntilDtm, assigned.claimedUntilDtm);
    const mine = `/api/process-manager/reviews?reviewer=${encodeURIComponent(assigned.reviewer)}`;
    const listed = async (query: string) =>
      (await alan.call(`${mine}${query}`, { headers: TEST })).body.content.map(
        (each: { processInstanceId: string }) => each.processInstanceId,
      );
    assert.deepEqual(await listed('&processDefnName=document-and-selfie'), [id]);
    assert.deepEqual(await listed('&processDefnName=kyc'), []);
    assert.equal((await act(alan, 'approve', { comment: 'ok' })).status, 200);
    const closed = async (name: string) =>
      (await alan.call(`/api/process-manager/closedReviews?processDefnName=${name}`, { headers: TEST })).body;
    assert.ok(
      (await closed('document-and-selfie')).content.some(
        (each: { processInstanceId: string }) => each.processInstanceId === id,
      ),
    );
    assert.equal((await closed('kyc')).totalElements, 0);
    assert.equal((await act(owner, 'assign', { operatorId: alan.id })).body.code, 100061);
    const unknown = await owner.call(`/api/process-manager/reviews/${alan.id}/assign`, {
      method: 'POST',
      body: { operatorId: alan.id },
      headers: TEST,
    });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 100022]);
  });

  it('the case of a reviewer shows the names of colleagues to operators who may not administer them, and nothing else', async () => {
    const { body } = await grace.call('/api/operator-manager/colleagues', { headers: TEST });
    const colleague = body.colleagues.find((each: { operatorId: string }) => each.operatorId === alan.id);
    assert.deepEqual(colleague, { operatorId: alan.id, name: 'Alan' });
  });

  const fourEyes = async (isOn: boolean) => {
    await confirm(owner);
    const set = await owner.call('/api/process-manager/settings', { body: { fourEyes: isOn }, headers: TEST });
    assert.equal(set.status, 200, set.text);
  };
  const give = (id: string, by: Person, verdict: 'approve' | 'reject') =>
    by.call(`/api/process-manager/reviews/${id}/${verdict}`, { body: { comment: `${verdict} it` }, headers: TEST });
  const review = async (id: string) => (await grace.call(`/api/process-manager/reviews/${id}`, { headers: TEST })).body;

  it('100300: a case with four eyes cannot be decided by one person, and a second person who agrees decides it', async () => {
    await fourEyes(true);
    const id = await journey();
    assert.deepEqual([(await review(id)).verdictsNeeded, (await review(id)).verdictsBy], [2, []]);
    const first = await give(id, grace, 'approve');
    assert.deepEqual([first.status, first.body.status], [200, 'REVIEW']);
    assert.deepEqual((await review(id)).verdictsBy, ['Grace (grace@acme.com)']);
    const again = await give(id, grace, 'approve');
    assert.deepEqual([again.status, again.body.code], [409, 100300]);
    const second = await give(id, alan, 'approve');
    assert.deepEqual([second.status, second.body.status], [200, 'COMPLETED_ENDED_SUCCESS']);
    const closed = await grace.call('/api/process-manager/closedReviews?verdict=APPROVED', { headers: TEST });
    const [row] = closed.body.content;
    assert.deepEqual([row.processInstanceId, row.comment, row.reviewer], [id, 'approve it', 'Alan (alan@acme.com)']);
  });

  it('a case with four eyes on which two disagree is decided when one of them, or a third, agrees with the last verdict', async () => {
    const id = await journey();
    await give(id, grace, 'approve');
    const differs = await give(id, alan, 'reject');
    assert.deepEqual([differs.status, differs.body.status], [200, 'REVIEW']);
    assert.equal((await review(id)).disagree, true);
    const alone = await give(id, alan, 'reject');
    assert.deepEqual([alone.status, alone.body.code], [409, 100300], 'one cannot agree with oneself');
    const verdict = await give(id, grace, 'reject');
    assert.equal(verdict.body.status, 'COMPLETED_ENDED_ERROR');
  });

  it('100360: a case with four eyes accepts no verdict of an API key, so two keys of one operator are not two persons', async () => {
    const id = await journey();
    const by = async (apiKey: string, verdict: 'approve' | 'reject' = 'approve') =>
      app.call(`/api/process-manager/reviews/${id}/${verdict}`, {
        method: 'POST',
        token: await app.token(apiKey),
        body: JSON.stringify({ comment: 'fine', reviewer: 'Somebody' }),
      });
    await confirm(owner);
    const permissions = ['TNT#acme#ProcessManager:*'];
    const key = { name: 'second voice', environment: 'test', permissions };
    const creation = await owner.call('/api/arthr/apiKeys', { body: key });
    assert.equal(creation.status, 201, creation.text);
    for (const apiKey of [testKey, creation.body.code]) {
      for (const verdict of ['approve', 'reject'] as const) {
        const { status, body } = await by(apiKey, verdict);
        assert.deepEqual([status, body.code], [403, 100360]);
      }
    }
    assert.equal((await give(id, owner, 'approve')).body.status, 'REVIEW');
    assert.equal((await by(creation.body.code)).body.code, 100360);
    assert.deepEqual((await review(id)).verdictsBy.length, 1);
    await fourEyes(false);
    assert.equal((await by(testKey)).body.status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('100300: a case in the sample for a second review cannot be decided by one person, and one outside of it can', async () => {
    const sample = async (secondReviewPercent: number) => {
      await confirm(owner);
      const set = await owner.call('/api/process-manager/settings', { body: { secondReviewPercent }, headers: TEST });
      assert.equal(set.body.secondReviewPercent, secondReviewPercent, set.text);
    };
    await sample(100);
    const id = await journey();
    assert.equal((await review(id)).verdictsNeeded, 1, 'nobody knows before the first verdict');
    assert.equal((await give(id, grace, 'approve')).body.status, 'REVIEW');
    assert.equal((await review(id)).verdictsNeeded, 2);
    assert.equal((await give(id, grace, 'approve')).body.code, 100300);
    await sample(0);
    assert.equal((await review(id)).verdictsNeeded, 1);
    assert.equal((await give(id, grace, 'approve')).body.status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('a definition may require four eyes by itself, and two equal verdicts at once decide the case once', async () => {
    const token = await app.token(testKey);
    const post = (path: string, body: object = {}) =>
      app.call(path, { method: 'POST', token, body: JSON.stringify(body) });
    const steps = [
      { id: 'look', type: 'review' },
      { id: 'decide', type: 'decision' },
    ];
    const definition = { name: 'two-people', fourEyes: true, steps };
    const creation = await post('/api/process-manager/processDefinitions', definition);
    assert.equal(creation.status, 201, creation.text);
    await post(`/api/process-manager/processDefinitions/${creation.body.id}/deploy`);
    const { processInstanceId: id } = await startJourney(app, testKey, { processDefnName: 'two-people' });
    const answers = await Promise.all([give(id, grace, 'approve'), give(id, alan, 'approve')]);
    assert.deepEqual(answers.map(({ body }) => body.status).toSorted(), ['COMPLETED_ENDED_SUCCESS', 'REVIEW']);
  });

  it('the case of a reviewer has audit events of reads of links and notes, and of writes', async () => {
    const { body } = await owner.call('/api/process-manager/auditEvents?size=200', { headers: TEST });
    const actions = new Set(body.content.map(({ action }: { action: string }) => action));
    for (const action of ['instance.linksRead', 'note.added', 'note.read', 'review.firstVerdict']) {
      assert.ok(actions.has(action), action);
    }
  });

  it('the notes of a case are part of the exported data of the person', async () => {
    const id = await journey();
    await note(id, grace, { text: 'Kept for the person to read' });
    const token = await app.token(testKey);
    const view = (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
    const place = `/api/userdata-server/processDefinitions/${view.processDefnId}/processInstances/${id}`;
    const archive = await app.call(`${place}/userdataarchive`, { method: 'POST', body: '{}', token });
    assert.equal(archive.status, 200);
    assert.match(archive.text, /notes\.json/);
  });
});
