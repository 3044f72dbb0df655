import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { JPEG, PNG } from '../../../test/images.ts';
import { contrastFaults, contrastOf } from './check-contrast.ts';
import { DEFAULT_TOKENS } from './default-theme.ts';
import { MAX_THEMES_PER_ENVIRONMENT } from './themes.ts';

const BASE = '/api/theme-server/themes';
const many = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, text]));
const FONT = Buffer.concat([Buffer.from('wOF2'), Buffer.alloc(40)]);

describe('the contrast of colours', () => {
  it('the contrast of colours is that of WCAG 2.2', () => {
    assert.equal(contrastOf('#000000', '#ffffff'), 21);
    assert.equal(contrastOf('#abcdef', '#abcdef'), 1);
    assert.equal(contrastOf('#777777', '#ffffff').toFixed(2), '4.48');
    assert.equal(contrastOf('#767676', '#FFFFFF').toFixed(2), '4.54');
  });

  it('the contrast of colours is sufficient in the default theme, in light and dark mode', () => {
    assert.deepEqual(contrastFaults(DEFAULT_TOKENS.palette, ''), []);
    assert.ok(DEFAULT_TOKENS.darkPalette);
    assert.deepEqual(contrastFaults(DEFAULT_TOKENS.darkPalette, ''), []);
  });
});

onBothEngines('themes', (_engine, places) => {
  let grove: TestApp;
  let stranger: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const { apiKey } = await grove.app.tenants.create({ id: 'stranger' });
    stranger = await grove.token(apiKey);
  });
  after(() => grove.stop());

  const { palette, darkPalette } = DEFAULT_TOKENS;
  const send = (path: string, body: object, token?: string) =>
    grove.call(`${BASE}${path}`, { method: 'POST', body: JSON.stringify(body), ...(token && { token }) });
  const read = (name: string, query = '?tn=acme') => grove.call(`${BASE}/${name}${query}`, { token: null });
  const upload = (theme: string, asset: string, contentType: string, bytes: Uint8Array) =>
    grove.call(`${BASE}/${theme}/assets/${asset}`, {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { 'Content-Type': contentType },
    });

  it('themes are created, listed, changed, read by anybody and deleted', async () => {
    const creation = await send('', { name: 'spring', palette, radius: 4, fontFamily: 'serif' });
    assert.equal(creation.status, 201, creation.text);
    assert.deepEqual(
      [creation.body.radius, creation.body.fontFamily, creation.body.darkPalette],
      [4, 'serif', undefined],
    );
    assert.equal((await send('/spring', { darkPalette })).body.darkPalette.text, darkPalette?.text);
    const list = await grove.call(`${BASE}?name=spr%25&sort=name,desc`);
    assert.deepEqual([list.body.totalElements, list.body.content[0].lastUpdatedBy.slice(0, 7)], [1, 'API Key']);
    const answer = await read('spring');
    assert.deepEqual(answer.body, { name: 'spring', palette, darkPalette, radius: 4, fontFamily: 'serif' });
    assert.equal((await grove.call(`${BASE}/spring`, { method: 'DELETE' })).status, 204);
    assert.equal((await read('spring')).body.code, 100097);
  });

  it('100351: themes cannot be changed by a caller who has read an older version', async () => {
    const { body: theme } = await send('', { name: 'twice', palette });
    const path = `/twice?ifLastUpdatedDtm=${theme.lastUpdatedDtm}`;
    grove.clock.advance(1000);
    assert.equal((await send(path, { texts: { en: { 'start.title': 'Welcome' } } })).status, 200);
    const stale = await send(path, { texts: {} });
    assert.deepEqual([stale.status, stale.body.code], [409, 100351]);
    assert.equal((await send('/twice', { radius: 3 })).body.radius, 3);
  });

  it('themes must exist when a definition that names one is deployed, or it is refused with 100048', async () => {
    const steps = [{ id: 'decide', type: 'decision' }];
    const manage = (path: string, body: object) =>
      grove.call(`/api/process-manager/processDefinitions${path}`, { method: 'POST', body: JSON.stringify(body) });
    const { body: definition } = await manage('', { name: 'dressed', theme: 'summer', steps });
    const { body: refusal } = await manage(`/${definition.id}/deploy`, {});
    assert.deepEqual([refusal.code, refusal.errors[0].pointer], [100048, '/theme']);
    await send('', { name: 'summer', palette });
    assert.equal((await manage(`/${definition.id}/deploy`, {})).body.status, 'DEPLOYED_ACTIVE');
  });

  it('themes include a default of Grove until the tenant creates its own', async () => {
    for (const query of ['', '?tn=acme', '?tn=nobody', '?tn=%C3%A4']) {
      const { status, body } = await read('default', query);
      assert.deepEqual([status, body.builtIn, body.palette], [200, true, palette]);
    }
    const primary = '#5b2a86';
    await send('', { name: 'default', palette: { ...palette, primary } });
    assert.equal((await read('default')).body.palette.primary, primary);
    assert.equal((await read('default')).body.builtIn, undefined);
    assert.equal((await read('default', '?tn=stranger')).body.builtIn, true);
  });

  it('themes are refused with 100098 if the contrast of colours is too low, with the ratio of each pair', async () => {
    const pale = { ...palette, text: '#999999', onPrimary: '#1f6b50' };
    const { status, body } = await send('', { name: 'pale', palette: pale });
    assert.deepEqual([status, body.code], [400, 100098]);
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/palette/text', '/palette/text', '/palette/onPrimary'],
    );
    assert.match(body.errors[0].message, /^has a contrast of 2\.84 to background; it must be 4\.5$/);
    await send('', { name: 'clear', palette });
    const dark = await send('/clear', { darkPalette: { ...palette, text: '#ffffff' } });
    assert.deepEqual([dark.body.code, dark.body.errors[0].pointer], [100098, '/darkPalette/text']);
    assert.equal((await read('clear')).body.darkPalette, undefined);
  });

  it('themes are refused with 100001 if a token or the name is invalid', async () => {
    for (const body of [
      { name: 'x' },
      { name: '', palette },
      { name: '../x', palette },
      { name: 'x', palette: { ...palette, text: 'black' } },
      { name: 'x', palette: { ...palette, text: '#000000;}body{background:url(//evil.example)' } },
      { name: 'x', palette, radius: 33 },
      { name: 'x', palette, fontFamily: 'Comic Sans' },
    ]) {
      assert.equal((await send('', body)).body.code, 100001, JSON.stringify(body));
    }
  });

  it('themes have unique names: 100014 for a second one; 100097 for one of another tenant or one that does not exist', async () => {
    await send('', { name: 'mine', palette });
    assert.equal((await send('', { name: 'mine', palette })).body.code, 100014);
    assert.equal((await send('', { name: 'mine', palette }, stranger)).status, 201);
    assert.equal((await send('/nobody', { radius: 1 })).body.code, 100097);
    await grove.call(`${BASE}/mine`, { method: 'DELETE' });
    assert.equal((await read('mine')).body.code, 100097);
    assert.equal((await grove.call(`${BASE}/mine`, { method: 'DELETE' })).body.code, 100097);
    assert.equal((await send('/mine', { radius: 1 }, stranger)).status, 200);
  });

  it('themes have a logo and a font, which anybody may read at an address that changes with them', async () => {
    await send('', { name: 'logo', palette, fontFamily: 'own' });
    const first = await upload('logo', 'logo', 'image/png', PNG);
    assert.equal(first.status, 200, first.text);
    const { logoUrl } = (await upload('logo', 'logo', 'image/jpeg', JPEG)).body;
    assert.notEqual(logoUrl, first.body.logoUrl);
    const { fontUrl } = (await upload('logo', 'font', 'font/woff2', FONT)).body;
    const logo = await fetch(`${grove.baseUrl}${logoUrl}`);
    assert.deepEqual([logo.status, logo.headers.get('content-type')], [200, 'image/jpeg']);
    assert.ok(Buffer.from(await logo.arrayBuffer()).equals(JPEG));
    assert.match(logo.headers.get('content-security-policy') ?? '', /^sandbox/);
    assert.equal((await fetch(`${grove.baseUrl}${fontUrl}`)).headers.get('content-type'), 'font/woff2');
    assert.deepEqual((await read('logo')).body.logoUrl, logoUrl);
    assert.equal((await read('logo/assets/logo', '?tn=stranger')).body.code, 100097);
    assert.equal((await read('logo/assets/other')).body.code, 100097);
  });

  it('themes refuse any other file: 100099 if its name, its type or its bytes are wrong', async () => {
    await send('', { name: 'strict', palette });
    for (const [asset, type, bytes] of [
      ['logo', 'image/png', JPEG],
      ['logo', 'image/png', Buffer.from('<svg onload="alert(1)"/>')],
      ['logo', 'font/woff2', FONT],
      ['logo', 'image/png', new Uint8Array()],
      ['font', 'image/png', PNG],
      ['font', 'font/woff2', Buffer.from('wOFF')],
      ['picture', 'image/png', PNG],
    ] as const) {
      assert.equal((await upload('strict', asset, type, bytes)).body.code, 100099, `${asset} ${type}`);
    }
    assert.equal((await upload('strict', 'logo', 'image/svg+xml', PNG)).body.code, 100006);
    assert.equal((await upload('strict', 'logo', 'image/png', Buffer.alloc(2 ** 19 + 1))).body.code, 100005);
    assert.equal((await upload('nobody', 'logo', 'image/png', PNG)).body.code, 100097);
  });

  it('themes set the language of a journey, and texts in place of the default ones', async () => {
    const texts = { en: { 'start.title': 'Welcome' }, de: { again: 'Nochmal' } };
    const creation = await send('', { name: 'words', palette, defaultLanguage: 'de', texts });
    assert.equal(creation.status, 201, creation.text);
    assert.deepEqual([creation.body.defaultLanguage, creation.body.texts], ['de', texts]);
    const theme = (await read('words')).body;
    assert.deepEqual([theme.defaultLanguage, theme.texts], ['de', texts]);
    const update = (await send('/words', { radius: 2 })).body;
    assert.deepEqual([update.defaultLanguage, update.texts], ['de', texts]);
    const none = (await send('/words', { defaultLanguage: null, texts: {} })).body;
    assert.deepEqual([none.defaultLanguage, none.texts, none.radius], [undefined, {}, 2]);
  });

  it('themes are refused with 100170 if a text cannot replace the default one, each with its key', async () => {
    await send('', { name: 'spoken', palette });
    const plural = '{minutes, plural, one {# minute} other {# minutes}} or so';
    for (const [texts, pointer, message] of [
      [{ xx: { again: 'x' } }, '/texts/xx', /^must be one of en, de/],
      [{ en: { 'no.such/key': 'x' } }, '/texts/en/no.such~1key', /^is no text of a journey$/],
      [{ en: { again: ' ' } }, '/texts/en/again', /^must say something$/],
      [{ en: { again: '<b>Go</b>' } }, '/texts/en/again', /^must be plain text/],
      [{ en: { again: 'Go\u202e' } }, '/texts/en/again', /^must be plain text/],
      [{ en: { again: 'Go {' } }, '/texts/en/again', /^is not in ICU MessageFormat: \w+ at character 4$/],
      [{ en: { again: 'Go {name}' } }, '/texts/en/again', /^must fill in nothing, as ours does$/],
      [{ ar: { 'start.lead': 'x' } }, '/texts/ar/start.lead', /^must fill in \{tenant\}, as ours does$/],
      [{ en: { 'start.lead': '{tenant, number}' } }, '/texts/en/start.lead', /journeys cannot fill in$/],
      [{ en: { 'start.lead': '{tenant, plural, other {x}}' } }, '/texts/en/start.lead', /^must not choose .* tenant$/],
      [{ en: { again: 'x'.repeat(900) }, de: many(40, 'x'.repeat(900)) }, '/texts', /at most 32768 bytes together$/],
    ] as const) {
      const { status, body } = await send('/spoken', { texts });
      assert.deepEqual([status, body.code, body.errors?.[0]?.pointer], [400, 100170, pointer]);
      assert.match(body.errors[0].message, message);
    }
    assert.equal((await send('', { name: 'unspoken', palette, texts: { en: { again: '' } } })).body.code, 100170);
    assert.equal((await read('unspoken')).body.code, 100097);
    assert.equal((await send('/spoken', { texts: { en: { again: 'x'.repeat(1001) } } })).body.code, 100001);
    assert.equal((await send('/spoken', { defaultLanguage: 'xx' })).body.code, 100001);
    assert.equal((await read('spoken')).body.texts, undefined);
    assert.equal((await send('/spoken', { texts: { en: { 'need.time': plural } } })).status, 200);
  });

  it('themes are part of the opened journey, with their texts; later answers omit them', async () => {
    const texts = { en: { again: 'Once more', 'start.lead': 'This is {tenant}.' } };
    await send('', { name: 'worn', palette, fontFamily: 'serif', defaultLanguage: 'pl', texts });
    const post = async (path: string, body: object) =>
      (await grove.call(`/api${path}`, { method: 'POST', body: JSON.stringify(body) })).body;
    const { id } = await post('/process-manager/processDefinitions', {
      name: 'worn',
      processDefinitionType: 'VERIFICATION',
      theme: 'worn',
      steps: [
        { id: 'consent', type: 'consent' },
        { id: 'decide', type: 'decision' },
      ],
    });
    await post(`/process-manager/processDefinitions/${id}/deploy`, {});
    const { id: pt } = await post('/process-manager/processTokens', { name: 'worn', processDefnName: 'worn' });
    const open = (body: object) =>
      grove.call('/api/journey/sessions', { method: 'POST', token: null, body: JSON.stringify(body) });
    const opened = await open({ pt, tn: 'acme' });
    const { journey, processInstanceId } = opened.body;
    const { texts: _texts, ...theme } = (await read('worn')).body;
    assert.deepEqual(journey.theme, theme);
    assert.equal(journey.texts.en.again, 'Once more');
    assert.deepEqual(
      journey.texts.en['start.lead'].map(({ value }: { value: string }) => value),
      ['This is ', 'tenant', '.'],
    );
    const headers = { cookie: opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
    const again = (query: string) => grove.call(`/api/journey/${processInstanceId}${query}`, { headers, token: null });
    assert.deepEqual((await again('?theme=true')).body, journey);
    const later = (await again('')).body;
    assert.deepEqual([later.theme, later.texts, later.themeUrl], [undefined, undefined, journey.themeUrl]);
    await grove.call(`${BASE}/worn`, { method: 'DELETE' });
    assert.equal((await open({ pt, tn: 'acme' })).body.journey.theme.name, 'default');
  });

  it('the texts that themes can replace are listed: every text of a journey, with its placeholders', async () => {
    const { status, body } = await grove.call('/api/theme-server/texts?language=de&key=start.&size=3');
    assert.equal(status, 200);
    assert.ok(body.totalElements >= 4);
    assert.deepEqual(body.content.length, 3);
    const lead = (await grove.call('/api/theme-server/texts?key=start.lead')).body.content[0];
    assert.deepEqual([lead.key, lead.fillsIn, /\{tenant\}/.test(lead.text)], ['start.lead', ['tenant'], true]);
    assert.ok((await grove.call('/api/theme-server/texts')).body.totalElements > 300);
  });

  it('themes are at most a hundred in a tenant: 100065 for one more', async () => {
    const { apiKey } = await grove.app.tenants.create({ id: 'collector' });
    const token = await grove.token(apiKey);
    for (let at = 0; at < MAX_THEMES_PER_ENVIRONMENT; at++) {
      assert.equal((await send('', { name: `theme ${at}`, palette }, token)).status, 201);
    }
    assert.equal((await send('', { name: 'one more', palette }, token)).body.code, 100065);
  });
});
