import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grove, groveJson, startGrove, temporaryFolder } from '../../test/grove.ts';

type JoinLink = { id: string; url: string; expiringDtm: string };
type OperatorList = { operators: { id: string; name: string; role: string; status: string }[] };

test('the first start prints a link for the first owner; operators are invited, listed and reset beside the server', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  const { ready } = await startGrove(t, env);
  const first = String((ready as { firstOwnerUrl?: unknown }).firstOwnerUrl);
  assert.match(first, /^http:\/\/demo\.fir\.localhost:\d+\/console\/#invite=[\w-]{43}$/);
  const invited = await groveJson<JoinLink>(
    ['operator', 'invite', 'Jane Doe', '--email', 'jane@acme.com', '--role', 'Owner', '--tenant', 'demo'],
    env,
  );
  assert.match(invited.url, /\/console\/#invite=[\w-]{43}$/);
  const { operators } = await groveJson<OperatorList>(['operator', 'list', '--tenant', 'demo'], env);
  assert.deepEqual(
    operators.map(({ name, role, status }) => [name, role, status]),
    [
      ['First owner', 'Owner', 'INVITED'],
      ['Jane Doe', 'Owner', 'INVITED'],
    ],
  );
  const again = await groveJson<JoinLink>(['operator', 'reset', invited.id, '--tenant', 'demo'], env);
  assert.notEqual(again.url, invited.url);
  const faults = [
    ['invite', 'Jane Doe', '--email', 'JANE@acme.com', '--tenant', 'demo'],
    ['invite', 'Joe', '--email', 'joe@acme.com', '--role', 'King', '--tenant', 'demo'],
    ['invite', 'Joe', '--email', 'joe', '--tenant', 'demo'],
    ['list', '--tenant', 'nobody'],
    ['reset', '01JZ4MCW8A0C2E4G6J8M0P2R4T', '--tenant', 'demo'],
  ];
  for (const args of faults) assert.equal((await grove(['operator', ...args], env)).code, 1, args.join(' '));
});
