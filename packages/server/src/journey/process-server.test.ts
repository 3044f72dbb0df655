import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../test/harness.ts';
import { codeOf, openTestJourney, type TestJourney } from '../../test/journey.ts';

describe('the redirects of links for end users', () => {
  const places = testPlaces();
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());
  const locationOf = async (url: string, method: 'GET' | 'POST' = 'GET', host = 'localhost') => {
    const { statusCode, headers } = await grove.http.http.inject({ method, url, headers: { host } });
    assert.equal(statusCode, 303, url);
    return headers.location as string;
  };

  it('a link for end users redirects to the page of the tenant; a code in the query of an older link moves to the fragment and still works once', async () => {
    const { id, code } = await grove.instance();
    const path = `/api/process-server/startProcess?pi=${id}&c=${encodeURIComponent(code)}`;
    for (const method of ['GET', 'POST'] as const) {
      const url = new URL(await locationOf(path, method));
      assert.equal(url.origin + url.pathname, 'http://acme.fir.localhost/web/');
      assert.equal(url.search, `?pi=${id}`);
      assert.equal(codeOf(url.href), code);
    }
    const [bare = ''] = path.split('&');
    assert.equal(await locationOf(bare, 'GET', 'acme.fir.localhost'), `http://acme.fir.localhost/web/?pi=${id}`);
    assert.equal(await locationOf(bare), `/web/?pi=${id}`);
    assert.equal((await grove.browser().open({ code })).status, 200);
    assert.equal((await grove.browser().open({ code })).body.code, 100055);
  });

  it('a link for end users redirects only to pages of Grove, whatever its parameters', async () => {
    for (const code of [
      '//evil.example',
      'https://evil.example',
      'evil.example',
      'a@evil.example.x',
      'acme',
      '..',
      '%00',
    ]) {
      const location = await locationOf(`/api/process-server/startProcess?pi=x&c=${encodeURIComponent(code)}`);
      assert.match(location, /^(http:\/\/[a-z]+\.fir\.localhost)?\/web\/\?pi=x#c=/, code);
    }
    const redirect = await locationOf('/api/process-server/startProcess?pi=x&c=!', 'GET', 'other.fir.localhost');
    assert.ok(redirect.startsWith('http://other.fir.localhost/web/?pi=x#c='));
  });

  it('a link with a process token redirects to the page of the token or to that of Grove, and does not create an instance yet', async () => {
    const pt = await grove.token();
    assert.equal(
      await locationOf(`/processInstances?tn=acme&pt=${pt}`),
      `http://acme.fir.localhost/web/?pt=${pt}&tn=acme`,
    );
    assert.equal(await locationOf(`/processInstances?pt=${pt}`), `/web/?pt=${pt}`);
    const own = await grove.token({ uiUrl: 'https://shop.example/verify?lang=en#top' });
    assert.equal(
      await locationOf(`/processInstances?tn=acme&pt=${own}`),
      `https://shop.example/verify?lang=en&pt=${own}&tn=acme#top`,
    );
    assert.equal(
      await locationOf('/processInstances?tn=nobody&pt=x'),
      'http://nobody.fir.localhost/web/?pt=x&tn=nobody',
    );
    assert.equal(await locationOf('/processInstances?tn=%2F%2Fevil&pt=x'), '/web/?pt=x');
    const instances = await grove.acme.all({ text: 'SELECT id FROM process_instances WHERE tenant_id = $1' }, ['acme']);
    assert.equal(instances.length, 1, 'the one of the test before');
  });
});
