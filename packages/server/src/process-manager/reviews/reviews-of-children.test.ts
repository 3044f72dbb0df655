import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { codeOf, endUser } from '../../../test/end-user.ts';
import { type Answer, onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';

/** `npm run test:races` runs more rounds. */
const ROUNDS = Number(process.env.GROVE_RACE_ROUNDS ?? 3);
const PATH = '/api/process-manager';

onBothEngines('a subprocess that waits for a review', (_engine, places) => {
  let app: TestApp;
  let token: string;
  let pt: string;
  before(async () => {
    app = await openTestApp(await places.create());
    token = await app.token(app.apiKey);
    const decide = { id: 'decide', type: 'decision' };
    await deploy({
      name: 'inner',
      steps: [{ id: 'consent', type: 'consent' }, { id: 'look', type: 'review' }, decide],
    });
    await deploy({ name: 'outer', steps: [{ id: 'sub', type: 'subprocess', definition: 'inner' }, decide] });
    pt = (await post('/processTokens', { name: 'children', processDefnName: 'outer' })).body.id;
  });
  after(() => app.stop());

  const post = (path: string, body: object = {}) =>
    app.call(`${PATH}${path}`, { method: 'POST', token, body: JSON.stringify(body) });

  const deploy = async (definition: object) => {
    const { body } = await post('/processDefinitions', definition);
    assert.equal((await post(`/processDefinitions/${body.id}/deploy`)).status, 200);
  };

  /** A journey whose subprocess waits for a review. */
  const waiting = async () => {
    const { body } = await post(`/processInstances/create?pt=${pt}`);
    const user = await endUser(app, codeOf(body.redirectUrl));
    assert.equal((await user.submit('consent', { accepted: true })).status, 200);
    const { content } = (await app.call(`${PATH}/processInstances/${body.processInstanceId}/events`, { token })).body;
    const started = content.find(({ type }: { type: string }) => type === 'instance.childStarted');
    return { root: body.processInstanceId as string, child: started.data.childProcessInstanceId as string };
  };

  const ends: Record<string, (child: string) => Promise<Answer>> = {
    approved: (child) => post(`/reviews/${child}/approve`, { comment: 'fine' }),
    rejected: (child) => post(`/reviews/${child}/reject`, { comment: 'not fine' }),
    'asked again': (child) => post(`/reviews/${child}/askAgain`, { comment: 'again', steps: ['consent'] }),
    'given a link': (child) => post(`/processInstances/${child}/resumeLink`),
  };

  for (const [what, end] of Object.entries(ends)) {
    it(`a subprocess that waits for a review is ${what} while its journey is cancelled, without a deadlock`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { root, child } = await waiting();
        const answers = await Promise.all([end(child), post(`/processInstances/${root}/cancel`)]);
        for (const { status, text } of answers) assert.ok([200, 201, 409].includes(status), text);
      }
    });
  }
});
