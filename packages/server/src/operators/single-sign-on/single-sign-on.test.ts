import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { type Account, CLIENT_SECRET, openTestProvider, type TestProvider } from '../../../test/oidc-provider.ts';
import {
  browse,
  confirm,
  cookieFrom,
  fillOperators,
  firstOwner,
  invitePerson,
  originOf,
  type Person,
  type PersonRequest,
} from '../../../test/operators.ts';
import type { Answer } from '../../../test/record-answers.ts';
import { toDtm } from '../../kernel/clock.ts';

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const SETTINGS = '/api/operator-manager/singleSignOn';
const OPERATORS = '/api/operator-manager/operators';
const START = '/api/console/singleSignOn/start';
const COMPLETE = '/api/console/singleSignOn/complete';

onBothEngines('single sign-on', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  let provider: TestProvider;
  before(async () => {
    const place = await places.create();
    grove = await openTestApp(place, { environment: { GROVE_OUTBOUND_ALLOW: '127.0.0.1' } });
    owner = await firstOwner(grove);
    provider = await openTestProvider(`${originOf(grove)}/console/single-sign-on`);
    await owner.call('/api/process-manager/cloudSecrets', {
      body: { name: 'sso', value: CLIENT_SECRET, hosts: [new URL(provider.issuer).host] },
    });
  });
  after(async () => {
    await grove.stop();
    await provider.close();
  });

  const settings = () => ({
    issuer: provider.issuer,
    clientId: 'grove',
    clientSecretName: 'sso',
    roles: [
      { group: 'identity-admins', role: 'Administrator' },
      { group: 'reviewers', role: 'Reviewer' },
    ],
  });
  const jane: Account = {
    sub: 'jane',
    name: 'Jane Doe',
    email: 'jane@acme.com',
    email_verified: true,
    groups: ['reviewers'],
  };

  const begin = async (body: object = {}) => {
    const started = await browse(grove, START, { body });
    const [line = ''] = started.headers?.getSetCookie() ?? [];
    return { started, cookie: /^([^;]+)/.exec(line)?.[1] ?? '', line };
  };
  const finish = (query: string, cookie: string): Promise<Answer> =>
    browse(grove, COMPLETE, { body: { query }, headers: { Cookie: cookie } });
  const signInAs = async (account: Account, body: object = {}): Promise<Answer> => {
    const { started, cookie } = await begin(body);
    assert.equal(started.status, 200, started.text);
    return finish(await provider.signIn(started.body.url, account), cookie);
  };
  /** This provider returns the time of authentication only if the request contains `prompt` or `max_age`. */
  const signInAgainAs = async (account: Account): Promise<Answer> => {
    const { started, cookie } = await begin({ again: true });
    const url = new URL(started.body.url);
    for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
    return finish(await provider.signIn(url.href, account), cookie);
  };
  const codeOf = async (answer: Answer | Promise<Answer>) => (await answer).body.code;

  it('100234: single sign-on is not offered until it is configured', async () => {
    assert.deepEqual((await browse(grove, '/api/console/signIn')).body, { singleSignOn: false, emailLink: false });
    assert.equal(await codeOf(browse(grove, START, { body: {} })), 100234);
    assert.equal(await codeOf(owner.call(SETTINGS)), 100234);
  });

  it('100235: a provider that does not exist is refused in the settings, and so is a secret bound to another host', async () => {
    await confirm(owner);
    const nowhere = { ...settings(), issuer: 'http://127.0.0.1:9' };
    assert.equal(await codeOf(owner.call(SETTINGS, { body: nowhere })), 100235);
    await owner.call('/api/process-manager/cloudSecrets', {
      body: { name: 'elsewhere', value: 'x', hosts: ['api.example.com'] },
    });
    const { status, text } = await owner.call(SETTINGS, { body: { ...settings(), clientSecretName: 'elsewhere' } });
    assert.equal(status, 400);
    assert.match(text, /clientSecretName/);
    const inside = await owner.call(SETTINGS, { body: { ...settings(), issuer: 'https://169.254.169.254' } });
    assert.equal(inside.status, 400, inside.text);
    const unknown = { ...settings(), roles: [{ group: 'a', role: 'Nobody' }] };
    assert.equal(await codeOf(owner.call(SETTINGS, { body: unknown })), 100214);
  });

  it('100235: a provider cannot redirect the browser to an address that is a script', async () => {
    const hostile = createServer((_request, response) => {
      const [issuer, authorization_endpoint] = [addressOf(hostile), 'javascript:alert(document.domain)//'];
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ issuer, authorization_endpoint, token_endpoint: `${issuer}/token` }));
    });
    await new Promise<void>((done) => hostile.listen(0, '127.0.0.1', done));
    const { clientSecretName: _, ...publicClient } = settings();
    const scripted = { ...publicClient, issuer: addressOf(hostile) };
    assert.equal(await codeOf(owner.call(SETTINGS, { body: scripted })), 100235);
    hostile.close();
    hostile.closeAllConnections();
  });

  it('an owner configures single sign-on; other operators cannot map a group to more than their own role', async () => {
    const set = await owner.call(SETTINGS, { body: settings() });
    assert.equal(set.status, 200, set.text);
    assert.deepEqual(set.body, {
      ...settings(),
      scopes: ['profile', 'email'],
      groupsClaim: 'groups',
      redirectUrl: `${originOf(grove)}/console/single-sign-on`,
      lastUpdatedDtm: toDtm(grove.clock.now()),
    });
    assert.deepEqual((await owner.call(SETTINGS)).body, set.body);
    assert.deepEqual((await browse(grove, '/api/console/signIn')).body, { singleSignOn: true, emailLink: false });
    const administrator = await invitePerson(grove, owner, 'Administrator');
    const grab = { ...settings(), roles: [{ group: 'everybody', role: 'Owner' }] };
    assert.equal(await codeOf(administrator.call(SETTINGS, { body: grab })), 100015);
    const { body } = await owner.call('/api/process-manager/auditEvents?action=singleSignOn.updated');
    assert.equal(body.content.length, 1);
  });

  it('100351: the settings of single sign-on cannot be changed by an operator who has read an older version, or removed ones', async () => {
    const setIf = (ifLastUpdatedDtm: string, body: object) =>
      owner.call(`${SETTINGS}?ifLastUpdatedDtm=${encodeURIComponent(ifLastUpdatedDtm)}`, { body });
    const NEVER = toDtm(0);
    const { body: first } = await owner.call(SETTINGS);
    assert.equal(await codeOf(setIf(NEVER, settings())), 100351, 'somebody who saw none');
    grove.clock.advance(1);
    const second = await setIf(first.lastUpdatedDtm, first);
    assert.equal(second.status, 200, second.text);
    const late = await setIf(first.lastUpdatedDtm, first);
    assert.equal(late.body.code, 100351);
    assert.match(late.text, new RegExp(`somebody changed it at ${second.body.lastUpdatedDtm}`));
    await owner.call(SETTINGS, { method: 'DELETE' });
    assert.match((await setIf(second.body.lastUpdatedDtm, settings())).text, /somebody removed it/);
    assert.equal((await setIf(NEVER, settings())).status, 200);
  });

  it('an account signs in with the role of its groups, and is named in the audit log', async () => {
    const { started, cookie, line } = await begin();
    assert.match(line, /^grove-operator-sign-in=\S+; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict$/);
    const url = new URL(started.body.url);
    assert.deepEqual(
      [url.searchParams.get('code_challenge_method'), url.searchParams.get('scope'), url.searchParams.get('prompt')],
      ['S256', 'openid profile email', null],
    );
    const query = await provider.signIn(url.href, jane);
    const answer = await finish(query, cookie);
    assert.equal(answer.status, 200, answer.text);
    const { operator } = answer.body;
    assert.deepEqual([operator.name, operator.email, operator.role], ['Jane Doe', 'jane@acme.com', 'Reviewer']);
    assert.equal(await codeOf(finish(query, cookie)), 100035, 'an answer is good once');
    const { body } = await owner.call(`/api/process-manager/auditEvents?operatorId=${operator.id}`);
    assert.deepEqual([body.content[0].action, body.content[0].actor], ['operator.joined', 'Jane Doe (jane@acme.com)']);
    const again = await signInAs({ ...jane, groups: ['identity-admins'] });
    assert.deepEqual([again.body.operator.id, again.body.operator.role], [operator.id, 'Administrator']);
    await signInAs(jane);
  });

  it('single sign-on tells the provider to ask the person again if a recent sign-in is needed', async () => {
    const { started } = await begin({ again: true });
    const { searchParams } = new URL(started.body.url);
    assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0']);
    grove.clock.advance(11 * 60_000);
    const { body } = await signInAs(jane, { again: true });
    assert.ok(Date.parse(body.authenticatedDtm) <= grove.clock.now());
  });

  it('100211: a sign-in does not count as recent if the provider does not say when it asked the person', async () => {
    const signedIn = await signInAs({ ...jane, groups: ['identity-admins'] });
    assert.equal(Date.parse(signedIn.body.authenticatedDtm), 0, signedIn.text);
    const [line = ''] = signedIn.headers?.getSetCookie() ?? [];
    const headers = { Cookie: /^([^;]+)/.exec(line)?.[1] ?? '' };
    assert.equal(await codeOf(browse(grove, '/api/console/passkeys/start', { body: {}, headers })), 100211);
  });

  it('100239: an operator without a passkey confirms by signing in again', async () => {
    const { headers } = await signInAs(jane);
    const [line = ''] = headers.getSetCookie();
    const Cookie = /^([^;]+)/.exec(line)?.[1] ?? '';
    assert.equal(
      await codeOf(browse(grove, '/api/console/confirmation/start', { body: {}, headers: { Cookie } })),
      100239,
    );
  });

  it('100236: only the answer to the browser’s own request signs in', async () => {
    const mine = await begin();
    const theirs = await begin();
    const query = await provider.signIn(theirs.started.body.url, jane);
    assert.equal(await codeOf(finish(query, mine.cookie)), 100236, 'an answer that another browser asked for');
    assert.equal(await codeOf(finish(query, '')), 100035, 'a browser that asked for nothing');
    const third = await begin();
    const { state } = Object.fromEntries(new URL(third.started.body.url).searchParams);
    const forged = `?code=made-up&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    assert.equal(await codeOf(finish(forged, third.cookie)), 100236, 'a code that the provider never gave');
    const fourth = await begin();
    const denied = `?error=access_denied&state=${new URL(fourth.started.body.url).searchParams.get('state')}`;
    assert.equal(await codeOf(finish(denied, fourth.cookie)), 100236, 'the person said no');
  });

  it('100237: an account in no group with a role cannot sign in', async () => {
    assert.equal(await codeOf(signInAs({ sub: 'eve', name: 'Eve', groups: ['cleaners'] })), 100237);
    assert.equal(await codeOf(signInAs({ sub: 'eve', name: 'Eve' })), 100237);
  });

  it('100238: an account cannot take over an operator with a passkey by the e-mail address, and a suspended operator stays out', async () => {
    const grab = {
      sub: 'mallory',
      name: 'Olga Owner',
      email: 'olga@acme.com',
      email_verified: true,
      groups: ['reviewers'],
    };
    assert.equal(await codeOf(signInAs(grab)), 100238);
    await confirm(owner);
    const invited = await owner.call(OPERATORS, { body: { name: 'Ina', email: 'ina@acme.com', role: 'Auditor' } });
    const ina = { sub: 'ina', name: 'Ina', email: 'ina@acme.com', groups: ['reviewers'] };
    assert.equal(await codeOf(signInAs({ ...ina, email_verified: false })), 100238);
    const joined = await signInAs({ ...ina, email_verified: true });
    assert.deepEqual([joined.body.operator.id, joined.body.operator.role], [invited.body.operator.id, 'Reviewer']);
    await owner.call(`${OPERATORS}/${joined.body.operator.id}`, { body: { status: 'SUSPENDED' } });
    assert.equal(await codeOf(signInAs({ ...ina, email_verified: true })), 100238);
  });

  it('100238: another provider cannot take over an operator who has joined, whatever address it verifies', async () => {
    const second = await openTestProvider(`${originOf(grove)}/console/single-sign-on`);
    const secret = { name: 'second', value: CLIENT_SECRET, hosts: [new URL(second.issuer).host] };
    await owner.call('/api/process-manager/cloudSecrets', { body: secret });
    await confirm(owner);
    const other = { ...settings(), issuer: second.issuer, clientSecretName: 'second' };
    assert.equal((await owner.call(SETTINGS, { body: other })).status, 200);
    const { started, cookie } = await begin();
    const query = await second.signIn(started.body.url, { ...jane, sub: 'x' });
    assert.equal(await codeOf(finish(query, cookie)), 100238);
    await confirm(owner);
    assert.equal((await owner.call(SETTINGS, { body: settings() })).status, 200);
    await second.close();
  });

  it('7 and 100015: the settings need the permission to send the client secret, and a test key cannot change them', async () => {
    const permissions = ['TNT#acme#OperatorManager:*'];
    const key = await grove.client.apiKeys.create({ body: { name: 'of the company', permissions } });
    const body = JSON.stringify(settings());
    const send = (method: string, token: string) =>
      grove.call(SETTINGS, { method, token, ...(method === 'POST' && { body }) });
    assert.equal(await codeOf(send('POST', await grove.token(key.code))), 7);
    const test = await grove.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    const testToken = await grove.token(test.apiKey);
    assert.equal(await codeOf(send('POST', testToken)), 100015);
    assert.equal(await codeOf(send('DELETE', testToken)), 100015);
  });

  it('names and addresses from a single sign-on provider are cut to the limits of Grove', async () => {
    const { body } = await signInAs({
      sub: 'odd',
      name: ' <b>Bob</b>\u0007 ',
      email: 'not an address',
      groups: ['reviewers'],
    });
    assert.deepEqual([body.operator.name, body.operator.email], ['bBob/b', undefined]);
  });

  it('single sign-on that is removed ends its sessions', async () => {
    const { headers } = await signInAs(jane);
    const [line = ''] = headers.getSetCookie();
    const session = { headers: { Cookie: /^([^;]+)/.exec(line)?.[1] ?? '' } };
    assert.equal((await browse(grove, '/api/console/session', session)).status, 200);
    await confirm(owner);
    assert.equal((await owner.call(SETTINGS, { method: 'DELETE' })).status, 204);
    assert.equal((await browse(grove, '/api/console/session', session)).status, 401);
    assert.equal(await codeOf(owner.call(SETTINGS, { method: 'DELETE' })), 100234);
  });

  it('100065 100212 100234 100235: settings that change while somebody signs in cause a named refusal, and the tenant keeps its owners', async () => {
    await confirm(owner);
    const asOwner = { ...settings(), roles: [{ group: 'owners', role: 'Owner' }, ...settings().roles] };
    assert.equal((await owner.call(SETTINGS, { body: asOwner })).status, 200);
    const administrator = await invitePerson(grove, owner, 'Administrator', 'Adam');
    const taking = await administrator.call(SETTINGS, { body: settings() });
    assert.equal(taking.body.code, 100015, 'an administrator does not take owners their way to sign in');
    assert.equal(await codeOf(administrator.call(SETTINGS, { method: 'DELETE' })), 100015);
    const oda = { sub: 'oda', name: 'Oda', groups: ['owners'] };
    const cookie = cookieFrom(await signInAgainAs(oda));
    const asOda = (path: string, request: PersonRequest) => browse(grove, path, { ...request, cookie });
    const status = { body: { status: 'SUSPENDED' } };
    const changed = await asOda(`${OPERATORS}/${owner.id}`, status);
    assert.equal(changed.status, 200, changed.text);
    assert.equal(await codeOf(signInAs({ ...oda, groups: ['reviewers'] })), 100212, 'she is the last owner');

    await fillOperators(grove, owner);
    assert.equal(await codeOf(signInAs({ sub: 'late', name: 'Late', groups: ['reviewers'] })), 100065);

    const withoutSecret = await begin();
    const query = await provider.signIn(withoutSecret.started.body.url, oda);
    const { body } = await asOda('/api/process-manager/cloudSecrets?name=sso', {});
    const removed = await asOda(`/api/process-manager/cloudSecrets/${body.content[0].id}`, { method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
    assert.equal(await codeOf(finish(query, withoutSecret.cookie)), 100235);

    const withoutSettings = await begin();
    grove.clock.advance(11 * 60_000);
    await provider.close();
    assert.equal(await codeOf(browse(grove, START, { body: {} })), 100235, 'the provider has gone');
    const token = await grove.token();
    assert.equal((await grove.call(SETTINGS, { method: 'DELETE', token })).status, 204);
    assert.equal(await codeOf(finish('?code=x', withoutSettings.cookie)), 100234);
  });
});
