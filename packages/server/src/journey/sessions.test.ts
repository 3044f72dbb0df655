import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { CONSENT, DECIDE, openTestJourney, type TestJourney } from '../../test/journey.ts';
import { unprepared } from '../db/db.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { newCode } from '../process-manager/instances/one-time-code.ts';
import { MAX_SESSIONS_PER_INSTANCE } from './sessions.ts';

onBothEngines('sessions of a journey', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  it('a code is exchanged for a cookie that scripts cannot read, and the journey begins', async () => {
    const { id, code } = await grove.instance();
    const browser = grove.browser();
    const { status, body, headers } = await browser.open({ code });
    assert.deepEqual([status, body.processInstanceId], [200, id]);
    const cookie = headers.get('set-cookie') ?? '';
    assert.match(
      cookie,
      new RegExp(
        `^grove-journey-${id}=acme\\.[0-9A-Z]{26}\\.[\\w-]{43}; Path=/; Max-Age=(\\d+); HttpOnly; SameSite=Strict$`,
      ),
    );
    const maxAge = Number(/Max-Age=(\d+)/.exec(cookie)?.[1]);
    assert.equal(maxAge, (Date.parse(body.expiringDtm) - grove.clock.now()) / 1000);
    assert.equal(maxAge, 49 * 3600);
    const now = await browser.get();
    assert.deepEqual([now.status, now.body.status, now.body.step.id], [200, 'ACTIVE', 'consent']);
    assert.deepEqual(body.journey, now.body, 'the page is told at once what it would ask for next');
    assert.deepEqual(await grove.events(id), ['instance.created', 'instance.started']);
  });

  it('100240: the origins that may frame a journey come from the tenant of the opened link, whatever the address named before', async () => {
    await grove.allowFrames('live', 'https://shop.example');
    await grove.allowFrames('test', 'https://evil.example');
    const open = async (link: { code: string } | { pt: string; tn: string }, embedOrigin: string) =>
      (await grove.browser().open({ ...link, embedOrigin })).status;
    const { code } = await grove.instance();
    assert.equal(await open({ code }, 'https://evil.example'), 403);
    const pt = await grove.token();
    assert.equal(await open({ pt, tn: 'acme' }, 'https://evil.example'), 403);
    const { status, headers } = await grove
      .browser()
      .open({ code, embedOrigin: 'https://shop.example', embedded: true });
    assert.equal(status, 200, 'the code was not spent');
    assert.match(headers.get('set-cookie') ?? '', /HttpOnly; SameSite=None; Secure; Partitioned$/);
    const { code: ofTest } = await grove.instance({ environment: 'test' });
    assert.equal(await open({ code: ofTest }, 'https://evil.example'), 200);
  });

  it('100240: the console of a tenant frames its test journeys, but neither live ones nor those of another tenant', async () => {
    const [own, other] = ['http://acme.fir.localhost', 'http://other.fir.localhost'];
    const open = async (environment: 'live' | 'test', embedOrigin: string) =>
      (await grove.browser().open({ code: (await grove.instance({ environment })).code, embedOrigin })).status;
    assert.deepEqual(
      [await open('test', own), await open('live', own), await open('test', other), await open('live', other)],
      [200, 403, 403, 403],
    );
  });

  it('image analysis is started in advance for live journeys with images, and for no others', async () => {
    const open = async (options: Parameters<TestJourney['instance']>[0]) => {
      grove.toldVision.length = 0;
      await grove.browser().open({ code: (await grove.instance(options)).code });
      return grove.toldVision.length;
    };
    const counts = [await open({}), await open({ environment: 'test' }), await open({ steps: [CONSENT, DECIDE] })];
    assert.deepEqual(counts, [1, 0, 0]);
  });

  it('100055: a code works once, also if several browsers redeem it at once', async () => {
    const { id, code } = await grove.instance();
    const answers = await Promise.all(Array.from({ length: 10 }, () => grove.browser().open({ code })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(410)]);
    assert.equal((await grove.sessions(id)).length, 1);
    assert.equal((await grove.events(id)).filter((type) => type === 'instance.started').length, 1);
  });

  it('100055: a used, expired, unknown, malformed or foreign code always gets the same answer', async () => {
    const { code: used } = await grove.instance();
    await grove.browser().open({ code: used });
    const { code: expired } = await grove.instance();
    const { code: foreign } = await grove.instance();
    const { code: good } = await grove.instance();
    grove.clock.advance(10 * MINUTE - 1);
    assert.equal((await grove.browser().open({ code: good })).status, 200);
    grove.clock.advance(1);
    const bodies = new Set<string>();
    const wrong = [
      used,
      expired,
      foreign.replace('acme', 'other'),
      newCode('acme' as never),
      newCode('nobody' as never),
    ];
    for (const code of [...wrong, 'nonsense', '.', 'acme.', `ACME.${'x'.repeat(43)}`]) {
      const { status, body } = await grove.browser().open({ code });
      assert.deepEqual([status, body.code], [410, 100055], code);
      bodies.add(JSON.stringify({ ...body, requestId: '' }));
    }
    assert.equal(bodies.size, 1);
  });

  it('100055: a code is not used up by a host that names another tenant', async () => {
    const { code } = await grove.instance();
    const redeem = (host: string) =>
      grove.http.http.inject({ method: 'POST', url: '/api/journey/sessions', headers: { host }, payload: { code } });
    assert.equal((await redeem('other.fir.localhost')).json().code, 100055);
    assert.equal((await redeem('acme.fir.localhost')).statusCode, 200);
  });

  it('a session needs either a code or a process token, not both', async () => {
    for (const body of [{}, { code: 'a', pt: 'b' }, { tn: 'acme' }]) {
      const { status, body: problem } = await grove.browser().open(body);
      assert.deepEqual([status, problem.code], [400, 100001]);
    }
  });

  it('100021: a process token creates an instance of its own; one that is unknown, or of no tenant, gets the same answer', async () => {
    const pt = await grove.token();
    const one = grove.browser();
    const other = grove.browser();
    assert.equal((await one.open({ pt, tn: 'acme' })).status, 200);
    assert.equal((await other.open({ pt, tn: 'acme' })).status, 200);
    assert.notEqual(one.instanceId, other.instanceId);
    assert.equal((await one.get()).body.step.id, 'consent');
    const bodies = new Set<string>();
    for (const body of [
      { pt: newId(1), tn: 'acme' },
      { pt, tn: 'other' },
      { pt, tn: 'nobody' },
      { pt, tn: 'Not a tenant' },
      { pt },
    ]) {
      const { status, body: problem } = await grove.browser().open(body);
      assert.deepEqual([status, problem.code], [404, 100021], JSON.stringify(body));
      bodies.add(JSON.stringify({ ...problem, requestId: '' }));
    }
    assert.equal(bodies.size, 1);
  });

  it('100046: a process token with one use creates one journey, however many requests use it at once', async () => {
    const pt = await grove.token({ maxCount: 1 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => grove.browser().open({ pt, tn: 'acme' })));
    const codes = answers.map(({ status, body }) => body.code ?? status).sort((one, other) => one - other);
    assert.deepEqual(codes, [200, ...Array(5).fill(100046)]);
  });

  it('a resume code makes the new browser the active device, and the others can only watch', async () => {
    const { id, code } = await grove.instance();
    const first = grove.browser();
    await first.open({ code });
    const second = grove.browser();
    assert.equal((await second.open({ code: await grove.resumeCode(id) })).status, 200);
    assert.deepEqual([(await first.get()).body.device.active, (await second.get()).body.device.active], [false, true]);
    assert.equal((await first.submit('consent', { accepted: true })).body.code, 100058);
    assert.equal((await second.submit('consent', { accepted: true })).status, 200);
  });

  it('100055: a resume code works once, within 24 hours', async () => {
    const { id, code } = await grove.instance();
    await grove.browser().open({ code });
    const resume = await grove.resumeCode(id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => grove.browser().open({ code: resume })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(5).fill(410)]);
    assert.equal((await grove.sessions(id)).filter(({ state }) => state === 'ACTIVE').length, 1);
    const late = await grove.resumeCode(id);
    grove.clock.advance(24 * HOUR);
    assert.equal((await grove.browser().open({ code: late })).body.code, 100055);
  });

  it('100054: a cookie is valid only for its instance, with its session and its secret, until it expires', async () => {
    const { id, code } = await grove.instance();
    const browser = grove.browser();
    await browser.open({ code });
    const [name, value] = [...browser.cookies][0] as [string, string];
    const [tenant, session, secret] = value.split('.') as [string, string, string];
    const { id: foreign } = await grove.instance();
    const ask = (instanceId: string, cookie: string) =>
      grove.http.call(`/api/journey/${instanceId}`, { headers: { Cookie: `grove-journey-${instanceId}=${cookie}` } });
    assert.equal((await ask(id, value)).status, 200);
    for (const [instanceId, cookie] of [
      [foreign, value],
      [id, `other.${session}.${secret}`],
      [id, `${tenant}.${newId(1)}.${secret}`],
      [id, `${tenant}.${session}.${'A'.repeat(43)}`],
      [id, `${tenant}.${session}.${secret.slice(1)}`],
      [id, `${tenant}.${session}`],
      [id, ''],
    ] as const) {
      assert.equal((await ask(instanceId, cookie)).body.code, 100054, cookie);
    }
    assert.equal(name, `grove-journey-${id}`);
    grove.clock.advance(49 * HOUR - 1);
    assert.equal((await browser.get()).status, 200);
    grove.clock.advance(1);
    assert.equal((await browser.get()).body.code, 100054);
  });

  it('a browser keeps the cookies of the newest journeys, and not more than a server accepts', async () => {
    const old = Array.from({ length: 12 }, (_, at) => `grove-journey-${newId(at)}`);
    const { code } = await grove.instance();
    const Cookie = ['other=1', ...old.map((name) => `${name}=x`), 'grove-journey-nonsense=1'].join('; ');
    const answer = await fetch(`${grove.http.baseUrl}/api/journey/sessions`, {
      method: 'POST',
      body: JSON.stringify({ code }),
      headers: { 'Content-Type': 'application/json', Cookie },
    });
    const [own, ...removedCookies] = answer.headers.getSetCookie();
    assert.ok(own?.includes('=acme.'));
    assert.deepEqual(
      removedCookies.map((cookie) => cookie.replace(/; .*/, '')),
      old.slice(0, 2).map((name) => `${name}=`),
    );
    assert.ok(removedCookies.every((cookie) => cookie.includes('Max-Age=0')));
  });

  it('sessions and codes of a journey are stored only as hashes', async () => {
    const { id, code } = await grove.instance();
    const browser = grove.browser();
    await browser.open({ code });
    const secret = ([...browser.cookies.values()][0] as string).split('.')[2] as string;
    const rows = await grove.acme.all<Record<string, unknown>>(
      { text: 'SELECT * FROM journey_sessions WHERE tenant_id = $1 AND instance_id = $2' },
      ['acme', id],
    );
    const rowsText = JSON.stringify(rows, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
    assert.equal(rows.length, 1);
    assert.ok(!rowsText.includes(secret) && !rowsText.includes(code.split('.')[1] as string));
    assert.deepEqual(
      rows.map(({ token_hash }) => (token_hash as Uint8Array).length),
      [32],
    );
  });

  it('an instance has at most twenty sessions: a new one replaces the oldest, but never the active one', async () => {
    const { id, code } = await grove.instance();
    const first = grove.browser();
    await first.open({ code });
    for (let at = 0; at < MAX_SESSIONS_PER_INSTANCE + 3; at++) {
      grove.clock.advance(1);
      assert.equal((await grove.browser().open({ code: await grove.resumeCode(id) })).status, 200);
    }
    const sessions = await grove.sessions(id);
    assert.equal(sessions.length, MAX_SESSIONS_PER_INSTANCE);
    assert.deepEqual(
      sessions.filter(({ state }) => state === 'ACTIVE').map((each) => each.id),
      [sessions.at(-1)?.id],
    );
    assert.equal((await first.get()).body.code, 100054);
  });
});

onBothEngines('sessions with https', (_engine, places) => {
  it('the cookie of a journey is bound to its host and sent only over https', async () => {
    const grove = await openTestJourney(await places.create(), { GROVE_SCHEME: 'https' });
    try {
      const { id, code } = await grove.instance();
      const browser = grove.browser();
      const { headers } = await browser.open({ code });
      assert.match(headers.get('set-cookie') ?? '', new RegExp(`^__Host-grove-journey-${id}=.*; Path=/;.*; Secure$`));
      assert.equal((await browser.get()).status, 200);
    } finally {
      await grove.stop();
    }
  });

  it('a browser cookie without the prefix that binds it to the host does not link two instances', async () => {
    const grove = await openTestJourney(await places.create(), { GROVE_SCHEME: 'https' });
    try {
      const attacker = grove.browser();
      await attacker.open({ code: (await grove.instance()).code });
      const [[name = '', value = ''] = []] = [...attacker.cookies];
      const linksAfterOpening = async (cookieName: string) => {
        const browser = grove.browser();
        browser.cookies.set(cookieName, value);
        await browser.open({ code: (await grove.instance()).code });
        const text = 'SELECT instance_id FROM instance_links WHERE tenant_id = $1';
        return (await grove.acme.all(unprepared(text), ['acme'])).length;
      };
      assert.equal(await linksAfterOpening(name.replace('__Host-', '')), 0, 'planted by an answer without TLS');
      assert.equal(await linksAfterOpening(`x${name}`), 0);
      assert.equal(await linksAfterOpening(name), 2);
    } finally {
      await grove.stop();
    }
  });
});
