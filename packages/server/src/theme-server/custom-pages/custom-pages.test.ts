import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { type Answer, onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { PNG } from '../../../test/images.ts';
import { unzip } from '../../../test/unzip.ts';
import { pageZip, type RawEntry } from '../../../test/zips.ts';
import { unprepared } from '../../db/db.ts';
import { HOUR } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { MAX_PAGE_BYTES_PER_ENVIRONMENT, MAX_VERSIONS_OF_A_PAGE } from './custom-pages.ts';

const BASE = '/api/theme-server/customPages';
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const MORE: RawEntry[] = [
  { name: 'js/app.js', content: 'parent.postMessage({ event: "READY" }, "*");' },
  { name: 'img/logo.png', content: Buffer.from(PNG) },
];

onBothEngines('custom pages', (_engine, places) => {
  let grove: TestApp;
  let stranger: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const { apiKey } = await grove.app.tenants.create({ id: 'stranger' });
    stranger = await grove.token(apiKey);
  });
  after(() => grove.stop());

  const upload = (name: string, archive: Buffer, headers: Record<string, string> = {}, query = '') =>
    grove.call(`${BASE}/${encodeURIComponent(name)}/versions${query}`, {
      method: 'POST',
      body: new Uint8Array(archive),
      headers: { 'Content-Type': 'application/zip', ...headers },
    });
  const post = (path: string, token?: string) =>
    grove.call(`${BASE}${path}`, { method: 'POST', ...(token && { token }) });
  const open = (url: string) => grove.call(new URL(url).pathname, { token: null });
  const uploadVersion = async (name: string, archive = pageZip(MORE)) => {
    const answer = await upload(name, archive);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const deployed = async (name: string, archive = pageZip(MORE)) => {
    const { id } = await uploadVersion(name, archive);
    assert.equal((await post(`/${id}/deploy`)).status, 200);
    return (await grove.call(`${BASE}/${id}`)).body;
  };

  it('custom pages are uploaded in versions, listed, read and downloaded as an archive that browsers do not display', async () => {
    const first = await upload('welcome', pageZip(MORE), {}, '?description=the%20first');
    assert.equal(first.status, 201, first.text);
    assert.deepEqual(
      [first.body.version, first.body.status, first.body.description, first.body.numFiles, first.body.url],
      [1, 'EDITABLE', 'the first', 3, undefined],
    );
    assert.deepEqual(
      first.body.files.map(({ path }: { path: string }) => path),
      ['img/logo.png', 'index.html', 'js/app.js'],
    );
    const second = await uploadVersion('welcome', pageZip([], 'another'));
    const list = await grove.call(`${BASE}?name=WELC%25`);
    assert.deepEqual([list.body.totalElements, list.body.content[0].version], [1, 2]);
    const versions = await grove.call(`${BASE}/welcome/versions?sort=version,desc`);
    assert.deepEqual(
      versions.body.content.map(({ version }: { version: number }) => version),
      [2, 1],
    );
    assert.equal((await grove.call(`${BASE}/${second.id}`)).body.version, 2);
    const token = await grove.token();
    const answer = await fetch(`${grove.baseUrl}${BASE}/${first.body.id}/archive`, {
      headers: { Authorization: `Bearer ${token}`, Accept: '*/*' },
    });
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="welcome-1\.zip"$/);
    const entries = await unzip(Buffer.from(await answer.arrayBuffer()));
    assert.deepEqual([...entries.keys()], ['img/logo.png', 'index.html', 'js/app.js']);
    assert.ok(entries.get('img/logo.png')?.equals(PNG));
  });

  it('custom pages are refused with 100095 if the archive is invalid, and nothing is stored', async () => {
    const { status, body } = await upload('evil', pageZip([{ name: '../evil.js', content: 'x' }]));
    assert.deepEqual([status, body.code], [400, 100095]);
    assert.deepEqual(body.errors, [{ pointer: '/../evil.js', message: 'parent_path' }]);
    for (const archive of [Buffer.alloc(0), Buffer.from('no zip')]) {
      assert.equal((await upload('evil', archive)).body.code, 100095);
    }
    assert.equal((await grove.call(`${BASE}/evil/versions`)).body.code, 100042);
  });

  it('custom pages are refused with 100005, 100006 or 100001 if the body or the name is invalid', async () => {
    assert.equal((await upload('big', Buffer.alloc(5 * 2 ** 20 + 1))).body.code, 100005);
    assert.equal((await upload('typed', pageZip(), { 'Content-Type': 'text/html' })).body.code, 100006);
    for (const name of ['../up', 'ä', 'x'.repeat(101), ' ']) {
      assert.equal((await upload(name, pageZip())).body.code, 100001, name);
    }
  });

  it('custom pages that do not exist, or belong to another tenant, answer 100042', async () => {
    const { id } = await uploadVersion('mine');
    const { id: deployedId } = await deployed('mine');
    const ways: (() => Promise<Answer>)[] = [id, deployedId].flatMap((each) => [
      () => grove.call(`${BASE}/${each}`, { token: stranger }),
      () => grove.call(`${BASE}/${each}/archive`, { token: stranger }),
      () => grove.call(`${BASE}/${each}`, { method: 'DELETE', token: stranger }),
      ...['deploy', 'archive', 'preview'].map((verb) => () => post(`/${each}/${verb}`, stranger)),
    ]);
    ways.push(
      () => grove.call(`${BASE}/${NOBODY}`),
      () => post(`/${NOBODY}/deploy`),
    );
    ways.push(() => grove.call(`${BASE}/mine/versions`, { token: stranger }));
    for (const way of ways) {
      const { status, body } = await way();
      assert.deepEqual([status, body.code], [404, 100042]);
    }
    assert.equal((await grove.call(BASE, { token: stranger })).body.totalElements, 0);
  });

  it('custom pages are served from their deployment to their archiving, with a strict content security policy', async () => {
    const { id, url } = await deployed('shown', pageZip(MORE, '<p>shown'));
    const page = await open(url);
    assert.deepEqual([page.status, page.text], [200, '<p>shown']);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    const { host } = new URL(grove.baseUrl);
    assert.match(policy, /^sandbox allow-scripts allow-forms; default-src 'none'; /);
    assert.ok(policy.includes(`script-src ${host}${new URL(url).pathname};`), policy);
    const parts = ["connect-src 'none'", "frame-ancestors 'self'", "base-uri 'none'", "worker-src 'none'"];
    for (const part of [...parts, "webrtc 'block'"]) {
      assert.ok(policy.includes(part), part);
    }
    assert.match(
      page.headers.get('permissions-policy') ?? '',
      /camera=\(\).*microphone=\(\).*publickey-credentials-get=\(\)/,
    );
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(page.headers.get('set-cookie'), null);
    const script = await open(`${url}js/app.js`);
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
    assert.match(script.headers.get('content-security-policy') ?? '', /^sandbox/);
    const again = await grove.call(new URL(url).pathname, {
      token: null,
      headers: { 'If-None-Match': page.headers.get('etag') ?? '' },
    });
    assert.deepEqual([again.status, again.text], [304, '']);
    for (const path of ['nothing.js', 'js', '../', '%2e%2e/index.html', 'js/%00', 'JS/app.js']) {
      assert.ok([404, 400].includes((await open(`${url}${path}`)).status), path);
    }
    assert.equal((await post(`/${id}/archive`)).body.status, 'ARCHIVED');
    assert.equal((await open(url)).status, 404);
  });

  it('custom pages are not served at the address of another tenant, or before they are deployed', async () => {
    const { url } = await deployed('of acme', pageZip([], 'of acme'));
    assert.equal((await open(url.replace('-acme/', '-stranger/'))).status, 404);
    const { id } = await uploadVersion('hidden', pageZip([], 'hidden'));
    const { hash } = (await grove.app.db
      .of(asTenantId('acme'))
      .get<{ hash: string }>(unprepared('SELECT hash FROM custom_pages WHERE tenant_id = $1 AND id = $2'), [
        'acme',
        id,
      ])) as { hash: string };
    assert.equal((await open(`${grove.baseUrl}/pages/${hash}-acme/`)).status, 404);
  });

  it('custom pages can be previewed for an hour, whatever their status, at a random address', async () => {
    const { id } = await uploadVersion('draft', pageZip(MORE, '<p>draft'));
    const { body } = await post(`/${id}/preview`);
    const page = await open(body.url);
    assert.deepEqual([page.text, page.headers.get('cache-control')], ['<p>draft', 'no-store']);
    assert.equal((await open(`${body.url}js/app.js`)).status, 200);
    const { body: next } = await post(`/${id}/preview`);
    assert.equal((await open(body.url)).status, 404, 'a new address ends the one before');
    grove.clock.advance(HOUR);
    assert.equal((await open(next.url)).status, 404);
    grove.clock.advance(-HOUR);
  });

  it('custom pages that were deployed cannot be deleted, and archived ones cannot be deployed: 100096', async () => {
    const { id } = await deployed('done');
    assert.equal((await post(`/${id}/deploy`)).status, 200, 'once more changes nothing');
    const remove = () => grove.call(`${BASE}/${id}`, { method: 'DELETE' });
    assert.equal((await remove()).body.code, 100096);
    await post(`/${id}/archive`);
    assert.equal((await post(`/${id}/archive`)).status, 200);
    assert.equal((await post(`/${id}/deploy`)).body.code, 100096);
    assert.equal((await remove()).body.code, 100096);
  });

  it('custom pages that were never deployed can be deleted, with the contents that no other version uses', async () => {
    const db = grove.app.db.of(asTenantId('acme'));
    const contents = async () =>
      (
        await db.get<{ total: number }>(
          unprepared('SELECT count(*) AS total FROM custom_page_contents WHERE tenant_id = $1'),
          ['acme'],
        )
      )?.total ?? 0;
    const before = await contents();
    const one = await uploadVersion('gone', pageZip([{ name: 'only.js', content: 'only here' }], 'only this'));
    const two = await uploadVersion('gone', pageZip([], 'only this'));
    assert.equal(await contents(), before + 2);
    assert.equal((await grove.call(`${BASE}/${one.id}`, { method: 'DELETE' })).status, 204);
    assert.equal(await contents(), before + 1);
    assert.equal((await grove.call(`${BASE}/${two.id}`, { method: 'DELETE' })).status, 204);
    assert.equal(await contents(), before);
  });

  it('custom pages that are uploaded at once get a version each, and one for two requests with an Idempotency-Key', async () => {
    const both = await Promise.all([1, 2, 3].map(() => uploadVersion('raced')));
    assert.deepEqual(both.map(({ version }) => version).sort(), [1, 2, 3]);
    const once = () => upload('once', pageZip(MORE), { 'Idempotency-Key': 'page-once' });
    const [one, other] = [await once(), await once()];
    assert.deepEqual([one.status, other.status, other.body.id], [201, 201, one.body.id]);
    const changed = await upload('once', pageZip([], 'changed'), { 'Idempotency-Key': 'page-once' });
    assert.equal(changed.body.code, 100012);
    assert.equal((await upload('once', Buffer.from('x'), { 'Idempotency-Key': 'page-new' })).body.code, 100095);
  });

  it('custom pages are limited in the number of versions and in bytes: 100065 for more', async () => {
    const { id } = await uploadVersion('many');
    const db = grove.app.db.of(asTenantId('acme'));
    const set = (column: 'total_bytes' | 'version', value: number) =>
      db.write((tx) =>
        tx.run(unprepared(`UPDATE custom_pages SET ${column} = $3 WHERE tenant_id = $1 AND id = $2`), [
          'acme',
          id,
          value,
        ]),
      );
    await set('total_bytes', MAX_PAGE_BYTES_PER_ENVIRONMENT);
    assert.equal((await upload('many', pageZip())).body.code, 100065);
    await set('total_bytes', 1);
    await db.write((tx) =>
      tx.run(
        unprepared(`INSERT INTO custom_pages (tenant_id, id, name, name_folded, version, status, hash, num_files,
          total_bytes, created_at, created_by, last_updated_at, last_updated_by)
          WITH RECURSIVE n (at) AS (SELECT 2 UNION ALL SELECT at + 1 FROM n WHERE at < ${MAX_VERSIONS_OF_A_PAGE})
          SELECT tenant_id, id || at, name, name_folded, at, status, hash, 0, 0, 0, '', 0, '' FROM custom_pages, n
          WHERE tenant_id = $1 AND id = $2`),
        ['acme', id],
      ),
    );
    assert.equal((await upload('many', pageZip())).body.code, 100065);
  });

  it('custom pages can be named by a definition once they are deployed, and the journey contains their address', async () => {
    const definition = {
      name: 'with-page',
      processDefinitionType: 'VERIFICATION',
      steps: [
        { id: 'extra', type: 'customPage', page: 'questions', constants: { colour: 'red' } },
        { id: 'decide', type: 'decision' },
      ],
    };
    const created = await grove.call('/api/process-manager/processDefinitions', {
      method: 'POST',
      body: JSON.stringify(definition),
    });
    assert.equal(created.status, 201, created.text);
    const deploy = () =>
      grove.call(`/api/process-manager/processDefinitions/${created.body.id}/deploy`, { method: 'POST' });
    await uploadVersion('questions');
    const early = await deploy();
    assert.deepEqual([early.status, early.body.errors[0].pointer], [400, '/steps/0/page']);
    const { url, id } = await deployed('questions');
    assert.equal((await deploy()).status, 200);
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'sandbox', environment: 'test' });
    const { user } = await startJourney(grove, apiKey, { processDefnName: 'with-page' });
    const { step } = await user.look();
    assert.deepEqual(step.settings, { page: 'questions', constants: { colour: 'red' }, url: new URL(url).pathname });
    await post(`/${id}/archive`);
    assert.equal((await user.look()).step.settings.url, undefined);
    const answer = await user.submit('extra', { answer: 'yes' });
    assert.equal(answer.status, 200, answer.text);
  });
});

onBothEngines('custom pages with a domain of their own', (_engine, places) => {
  it('custom pages with a domain of their own are served only at hosts of that domain, which serve nothing else', async () => {
    const environment = { GROVE_PAGES_DOMAIN: 'pages.localhost' };
    const grove = await openTestApp(await places.create(), { environment });
    try {
      const creation = await grove.call(`${BASE}/apart/versions`, {
        method: 'POST',
        body: new Uint8Array(pageZip(MORE, '<p>apart')),
        headers: { 'Content-Type': 'application/zip' },
      });
      await grove.call(`${BASE}/${creation.body.id}/deploy`, { method: 'POST' });
      const { url } = (await grove.call(`${BASE}/${creation.body.id}`)).body;
      const { host, port, protocol, pathname } = new URL(url);
      assert.match(host, /^[a-z2-7]{20}-acme\.pages\.localhost:\d+$/);
      assert.deepEqual([protocol, port, pathname], ['http:', new URL(grove.baseUrl).port, '/']);
      const at = (path: string, hostName = host) => grove.app.http.inject({ url: path, headers: { host: hostName } });
      const page = await at('/');
      assert.equal(page.body, '<p>apart');
      const policy = String(page.headers['content-security-policy']);
      assert.ok(policy.includes(`script-src ${host};`), policy);
      assert.ok(policy.includes(`frame-ancestors http://acme.fir.localhost:${port}`), policy);
      assert.equal((await at('/js/app.js?x=1')).statusCode, 200);
      for (const path of [
        '/health/live',
        '/api/arthr/apiKeys',
        '/docs/',
        '/web/',
        '/openapi.json',
        `/pages/${host}/`,
      ]) {
        assert.equal((await at(path)).statusCode, 404, path);
      }
      assert.equal((await at('/', `pages.localhost:${port}`)).statusCode, 404);
      assert.equal((await at('/health/live', `pages.localhost:${port}`)).statusCode, 404);
      const [label] = host.split('.');
      assert.equal((await at(`/pages/${label}/`, `acme.fir.localhost:${port}`)).statusCode, 404);
      assert.equal((await at('/health/live', `acme.fir.localhost:${port}`)).statusCode, 200);
    } finally {
      await grove.stop();
    }
  });
});
