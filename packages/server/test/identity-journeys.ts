import assert from 'node:assert/strict';
import { type TOTP, URI } from 'otpauth';
import { SECOND } from '../src/kernel/clock.ts';
import { type Authenticator, authenticator } from './authenticator/authenticator.ts';
import { codeOf, type EndUser, endUser } from './end-user.ts';
import type { Answer, TestPlace } from './harness.ts';
import { openTestIdentity } from './identity.ts';

/** Journeys of the sandbox that add, register and authenticate users of one store. */
export const RP_ID = 'localhost';
export const ORIGIN = 'http://acme.fir.localhost:8080';

const STORE = { store: 'people' };
const PASSKEY = { ...STORE, rpId: RP_ID };
const TOTP_STEP = { ...STORE, policy: 'app' };
export const DECIDE = { id: 'decide', type: 'decision' };
export const ADD = { id: 'add', type: 'addUser', ...STORE };
export const MAKE_PASSKEY = { id: 'make', type: 'passkeyRegistration', ...PASSKEY };
export const USE_PASSKEY = { id: 'use', type: 'passkeyAuthentication', ...PASSKEY };
export const MAKE_TOTP = { id: 'makeCode', type: 'totpRegistration', ...TOTP_STEP };
export const USE_TOTP = { id: 'useCode', type: 'totpAuthentication', ...TOTP_STEP };
export const USE_FACE = { id: 'face', type: 'faceAuthentication', ...STORE };

type Step = { id: string; type: string; [setting: string]: unknown };
export const FORM = {
  id: 'form',
  type: 'form',
  schema: { type: 'object', properties: { email: { type: 'string', maxLength: 400 }, name: { type: 'string' } } },
};
export const FROM_FORM = { ...ADD, extId: 'forms.form1.email', attributes: { name: 'forms.form1.name' } };

export type StartedJourney = { id: string; user: EndUser; definition: { id: string; name: string } };
export type IdentityJourneys = Awaited<ReturnType<typeof openIdentityJourneys>>;

export function otherThan(code: string): string {
  return String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
}

export async function openIdentityJourneys(place: TestPlace) {
  const grove = await openTestIdentity(place);
  let count = 0;
  for (const token of [grove.inTest, await grove.token()]) {
    await grove.send('POST', '/stores', { name: 'people' }, token);
    await grove.send('POST', '/stores/people/passkeyConfig', { rpId: RP_ID }, token);
    await grove.send('POST', '/stores/people/totpPolicy', { name: 'app', issuer: 'Example' }, token);
  }

  const post = async (path: string, body: object = {}, token = grove.inTest): Promise<Answer['body']> => {
    const answer = await grove.call(`/api/process-manager${path}`, {
      method: 'POST',
      token,
      body: JSON.stringify(body),
    });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const store = (method: 'GET' | 'POST', path: string, body?: object) =>
    grove.send(method, `/stores/people${path}`, body, grove.inTest);
  const nameOf = () => `somebody ${count++}`;
  const newUser = async (extId = nameOf()) => (await store('POST', '/users', { extId })).body;

  const definitions = new Map<string, Promise<{ id: string; name: string }>>();
  /** Each definition is created once. */
  const deployed = (steps: Step[], token: string) => {
    const key = JSON.stringify([steps, token]);
    const newDefinition =
      definitions.get(key) ??
      post('/processDefinitions', { name: `definition-${count++}`, steps: [...steps, DECIDE] }, token).then(
        (definition) => post(`/processDefinitions/${definition.id}/deploy`, {}, token),
      );
    definitions.set(key, newDefinition);
    return newDefinition;
  };
  const start = async (
    steps: Step[],
    parameters: Record<string, string> = {},
    token = grove.inTest,
  ): Promise<StartedJourney> => {
    const definition = await deployed(steps, token);
    const tokenInput = { name: `token ${count++}`, processDefnName: definition.name, parameters };
    const newToken = await post('/processTokens', tokenInput, token);
    const { processInstanceId, redirectUrl } = await post(`/processInstances/create?pt=${newToken.id}`, {}, token);
    return { id: processInstanceId, definition, user: await endUser(grove, codeOf(redirectUrl)) };
  };
  const begin = async ({ user }: StartedJourney, step: string): Promise<Answer['body']> => {
    const { status, body, text } = await user.call(`/steps/${step}/begin`, { method: 'POST', body: '{}' });
    assert.equal(status, 200, text);
    return body;
  };
  const checksOf = async ({ id, definition }: StartedJourney, token = grove.inTest) => {
    const path = `/api/userdata-server/processDefinitions/${definition.id}/processInstances/${id}/userdata`;
    return (await grove.call(`${path}/checks`, { token })).body as { name: string; status: string; reason?: string }[];
  };
  /** The result of a check, in one line. */
  const reasonOf = async (journey: StartedJourney, name: string) => {
    const result = (await checksOf(journey)).find((check) => check.name === name);
    return `${result?.name} ${result?.status} ${result?.reason ?? ''}`.trim();
  };
  const formsOf = async ({ id, definition }: StartedJourney) => {
    const path = `/api/userdata-server/processDefinitions/${definition.id}/processInstances/${id}/userdata`;
    return (await grove.call(path, { token: grove.inTest })).body.forms;
  };
  const outcome = async ({ user }: StartedJourney) => (await user.settled()).result?.outcome;

  const eventsOf = async (filters: object): Promise<Answer['body'][]> =>
    (await grove.query({ size: 1000, ...filters }, grove.inTest)).body.results;

  /** A user with a passkey, registered by a journey. */
  const withPasskey = async (userExtId = nameOf()) => {
    const journey = await start([ADD, MAKE_PASSKEY], { userExtId });
    await journey.user.settled();
    const { settings } = await begin(journey, 'make');
    const device = authenticator({ origin: ORIGIN });
    const answer = await journey.user.submit('make', { credential: device.create(settings.publicKey) });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await outcome(journey), 'passed', JSON.stringify(await checksOf(journey)));
    const { body } = await store('GET', `/users/${encodeURIComponent(userExtId)}/ext`);
    return { userExtId, device, journey, id: body.id as string };
  };
  const login = async (device: Authenticator, parameters: Record<string, string>, more: object = {}) => {
    const journey = await start([{ ...USE_PASSKEY, ...more }], parameters);
    const beginning = await begin(journey, 'use');
    if (beginning.begun) await journey.user.submit('use', { credential: device.get(beginning.settings.publicKey) });
    return journey;
  };

  /** A user with an authenticator app, registered by a journey, at a time step whose code was not used. */
  const withCodes = async (userExtId = nameOf()) => {
    const journey = await start([ADD, MAKE_TOTP], { userExtId });
    await journey.user.settled();
    const { settings } = await begin(journey, 'makeCode');
    assert.deepEqual(
      [settings.digits, typeof settings.secret, settings.qrCode.startsWith('data:image/svg+xml')],
      [6, 'string', true],
    );
    const app = URI.parse(settings.uri) as TOTP;
    await journey.user.submit('makeCode', { code: app.generate({ timestamp: grove.clock.now() }) });
    assert.equal(await outcome(journey), 'passed', JSON.stringify(await checksOf(journey)));
    grove.clock.advance(30 * SECOND);
    return { userExtId, app };
  };

  return {
    grove,
    post,
    store,
    nameOf,
    newUser,
    deployed,
    start,
    begin,
    checksOf,
    ended: reasonOf,
    formsOf,
    outcome,
    eventsOf,
    withPasskey,
    login,
    withCodes,
    stop: () => grove.stop(),
  };
}
