import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { LIVE_AUTHOR } from './live-authors.ts';

const places = testPlaces();
let grove: TestApp;
before(async () => {
  grove = await openTestApp(await places.create());
});
after(() => grove.stop());

const STEPS = [
  { id: 'consent', type: 'consent' },
  { id: 'decide', type: 'decision' },
];
const ADDRESSES = [
  '/api/process-manager/processDefinitions?name=onboarding&size=50',
  '/api/process-manager/processDefinitions/tags',
  '/api/theme-server/themes',
];

it('a test key reads live configuration without the names of its authors, and its own objects with them', async () => {
  const { code } = await grove.client.apiKeys.create({
    body: { name: 'tester', environment: 'test', permissions: ['TNT#acme#*'] },
  });
  const token = await grove.token(code);
  const live = await grove.client.processDefinitions.create({ body: { name: 'onboarding', steps: STEPS } });
  const colours = ['primary', 'onPrimary', 'background', 'surface', 'text', 'mutedText', 'border', 'error', 'success'];
  const palette = Object.fromEntries(colours.map((name) => [name, /^on|^ba|^su/.test(name) ? '#ffffff' : '#16211c']));
  for (const [path, body] of [
    [`/api/process-manager/processDefinitions/${live.id}/deploy`, {}],
    [`/api/process-manager/processDefinitions/${live.id}/tags`, { name: 'stable' }],
    ['/api/theme-server/themes', { name: 'green', palette: { ...palette, success: '#1b6e3c' } }],
  ] as const) {
    const { status, body: answer } = await grove.call(path, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
  }
  for (const path of [...ADDRESSES, `/api/process-manager/processDefinitions/${live.id}`]) {
    const [own, foreign] = [await grove.call(path), await grove.call(path, { token })];
    const text = JSON.stringify(foreign.body);
    assert.equal(foreign.status, 200, path);
    assert.match(JSON.stringify(own.body), /API Key: First key/, path);
    assert.doesNotMatch(text, /First key/, path);
    assert.ok(text.includes(LIVE_AUTHOR), path);
  }
  const body = JSON.stringify({ name: 'onboarding', steps: STEPS });
  await grove.call('/api/process-manager/processDefinitions', { method: 'POST', body, token });
  assert.match(JSON.stringify((await grove.call(ADDRESSES[0] as string, { token })).body), /API Key: tester/);
});
