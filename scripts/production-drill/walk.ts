import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../release/packages.ts';
import { startCaller } from './caller.ts';
import type { Machine } from './machine.ts';
import type { Page } from './page-blocks.ts';

/** What a reader of docs/production.md does, section by section. Each function returns its observations. */
export type Neighbours = {
  store: string;
  region: string;
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  smtpUrl: string;
  /** Resolves with the next mail that arrives. */
  mail(): Promise<{ to: string[]; text: string }>;
};

export type World = { machine: Machine; page: Page; neighbours: Neighbours; version: string; previous: string };

const PASSWORD = 'a-password-of-the-drill';
const RECEIVER = '127.0.0.1:3000';
const URL_OF_TENANT = 'https://acme.fir.id.example.com';
const CA = '/usr/local/share/ca-certificates/drill.crt';
/** The page leaves out the password of the role. */
const ROLE = { 'postgres://grove:…@': `postgres://grove:${PASSWORD}@` };

function ensure(printed: string, pattern: RegExp): RegExpExecArray {
  const match = pattern.exec(printed);
  if (!match) throw new Error(`expected ${pattern} in:\n${printed.slice(-3000)}`);
  return match;
}

async function runAll(machine: Machine, blocks: readonly string[]): Promise<string> {
  let printed = '';
  for (const block of blocks) printed += `${await machine.run(block)}\n`;
  return printed;
}

export async function install({ machine, page, version }: World): Promise<string> {
  await machine.run('export npm_config_offline=true npm_config_cache=/root/.npm npm_config_update_notifier=false');
  await runAll(machine, page.take(1));
  // From now on nothing may write to it, not even by mistake.
  await machine.run('chmod -R a-w /opt/grove/current/node_modules');
  const printed = await machine.run(
    'node --version; du -sm --apparent-size /opt/grove/current/ | cut -f1; /opt/grove/current/node_modules/.bin/grove --version',
  );
  const [, node, size] = ensure(printed, new RegExp(`(v\\d+)\\S*\\n(\\d+)\\n${version.replaceAll('.', '\\.')}$`));
  return `offline, with Node ${node} of the system; ${size} MB`;
}

export async function makeDatabase({ machine, page }: World): Promise<string> {
  const [commands = ''] = page.take(2);
  await machine.run(commands, { input: `${PASSWORD}\n${PASSWORD}\n` });
  return (await machine.run('runuser -u postgres -- psql -tAc "show server_version"')).trim();
}

export async function configure({ machine, page, neighbours }: World): Promise<string> {
  const { region, endpoint, accessKeyId, secretAccessKey, smtpUrl } = neighbours;
  const token = (await machine.run('openssl rand -hex 24')).trim();
  const blocks = page.take(3, {
    ...ROLE,
    '?region=eu-central-1': `?region=${region}&endpoint=${endpoint}`,
    'AWS_ACCESS_KEY_ID=…': `AWS_ACCESS_KEY_ID=${accessKeyId}`,
    'AWS_SECRET_ACCESS_KEY=…': `AWS_SECRET_ACCESS_KEY="${secretAccessKey}"`,
    'SMTP_URL=smtps://grove:…@mail.example.com': `SMTP_URL=${smtpUrl}`,
    'GROVE_METRICS_TOKEN=…': `GROVE_METRICS_TOKEN=${token}\nGROVE_OUTBOUND_ALLOW=${RECEIVER}`,
  });
  const printed = await runAll(machine, blocks);
  return `doctor: ${ensure(printed, /^.*\bok\b.*$/m)[0].trim()}; ${neighbours.store}`;
}

export async function start({ machine, page, version }: World): Promise<string> {
  const printed = await runAll(machine, page.take(4));
  ensure(printed, new RegExp(`"status":"ready","version":"${version.replaceAll('.', '\\.')}"`));
  ensure(printed, /grv_live_[\w-]+/);
  const security = await machine.run(
    'systemd-analyze security grove@8080 --no-pager | tail -1; systemctl is-active grove@8080 grove@8081',
  );
  return `two servers under systemd ${ensure(security, /level for \S+: ([\d.]+)/)[1]}`;
}

/** A certificate authority of the drill replaces a public one. */
const CERTIFICATE = `
cd /etc/grove/tls
openssl req -x509 -nodes -newkey rsa:2048 -days 2 -subj '/CN=Authority of the drill' -keyout ca.key -out ${CA} 2> /dev/null
openssl req -nodes -newkey rsa:2048 -subj '/CN=id.example.com' -keyout privkey.pem -out grove.csr 2> /dev/null
printf 'subjectAltName=DNS:id.example.com,DNS:*.fir.id.example.com\\n' > names
openssl x509 -req -in grove.csr -CA ${CA} -CAkey ca.key -CAcreateserial -days 2 -extfile names -out fullchain.pem 2> /dev/null
update-ca-certificates > /dev/null 2>&1
echo '127.0.0.1 id.example.com acme.fir.id.example.com' >> /etc/hosts
export NODE_EXTRA_CA_CERTS=${CA}
`;

export async function addTls({ machine, page }: World): Promise<string> {
  const [commands = ''] = page.take(5);
  const [first = '', ...others] = commands.split('\n');
  await machine.run(first);
  await machine.run(CERTIFICATE);
  ensure(await machine.run(others.join('\n')), /"status":"ready"/);
  const outside = await machine.run(`curl -s -o /dev/null -w '%{http_code}' ${URL_OF_TENANT}/metrics`);
  ensure(outside, /^404$/m);
  return 'both behind nginx; /metrics is 404 from outside';
}

export async function integrate(world: World): Promise<string> {
  const { machine, page, neighbours } = world;
  const [commands = ''] = page.take(6);
  const [first = '', ...others] = commands.split('\n');
  const [key] = ensure(await machine.run(first), /grv_test_[\w-]+/);
  const verified = await machine.run(others.join('\n').replace('grv_test_…', key));
  ensure(verified, /the outcome is COMPLETED_ENDED_SUCCESS \(Accepted\)/);
  await receive(machine);
  const mailed = neighbours.mail();
  await machine.run(`cat > mail.ts <<'END'\n${MAIL}END\n/opt/grove/current/node_modules/.bin/node mail.ts`);
  const { to } = await mailed;
  return `verified by TLS, a signed webhook arrived, a mail went to ${to}`;
}

/** The receiver and the call of docs/webhooks.md. */
async function receive(machine: Machine): Promise<void> {
  const page = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');
  const [, receiver] = ensure(page, /^```ts\n(.*?)^```$/ms);
  const [call] = ensure(page, /^curl -s -X POST \$BASE\/api\/notification-service.*?\}'$/ms);
  const output = await machine.run(`cat > receiver.ts <<'END'\n${receiver}END
BASE=$GROVE_URL
TOKEN=$(curl -s -X POST $BASE/api/arthr/apiKeys/issue -H "X-Api-Key: $GROVE_API_KEY" | sed 's/.*"token":"//; s/".*//')
${call.replace('https://hooks.example.com/grove', `http://${RECEIVER}/`)}`);
  const [, secret] = ensure(output, /"secret":"([^"]+)"/);
  await machine.run(`WEBHOOK_SECRET=${secret} setsid /opt/grove/current/node_modules/.bin/node receiver.ts > received.txt 2>&1 &
until (exec 3<> /dev/tcp/127.0.0.1/3000) 2> /dev/null; do sleep 0.1; done
/opt/grove/current/node_modules/.bin/node verify.ts > /dev/null
for turn in $(seq 100); do grep -q instance.completed received.txt && break; sleep 0.1; done`);
  ensure(await machine.run('cat received.txt'), /^instance\.completed \w+ COMPLETED_ENDED_SUCCESS$/m);
}

/** An end user who sends the link to another device. */
const MAIL = `import { createClient } from 'grove-idv-sdk';
const baseUrl = process.env.GROVE_URL;
const grove = createClient({ baseUrl, apiKey: process.env.GROVE_API_KEY });
const { id } = await grove.processTokens.create({ body: { name: 'mail', processDefnName: 'document-only' } });
const created = await grove.processInstances.create({ query: { pt: id }, body: { parameters: {} } });
const code = new URLSearchParams(new URL(made.redirectUrl).hash.slice(1)).get('c');
const post = (path, body, headers = {}) => fetch(baseUrl + '/api/journey/' + path, {
  method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
const session = await post('sessions', { code });
const cookie = session.headers.getSetCookie()[0].split(';')[0];
const sent = await post(created.processInstanceId + '/handoffs/send', { channel: 'EMAIL', to: 'ada@example.com' }, { cookie });
if (!sent.ok) throw new Error(await sent.text());
`;

export async function monitor({ machine, page }: World): Promise<string> {
  const printed = await runAll(machine, page.take(7));
  // Each server counts only its own verifications, so after a few verifications one server may have none.
  ensure(printed, /^# TYPE grove_verifications_ended_total counter$/m);
  const [, rules] = ensure(printed, /SUCCESS: (\d+) rules found/);
  ensure(printed, /Unit Testing:.*SUCCESS/s);
  return `${rules} rules, and their tests fire them`;
}

export async function backUp({ machine, page }: World): Promise<string> {
  const printed = await runAll(machine, page.take(8));
  return ensure(printed, /^.*image.*$/im)[0].trim();
}

export async function restoreDrill({ machine, page }: World): Promise<string> {
  const [commands = ''] = page.take(9, ROLE);
  const ready =
    'curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:8090/health/ready || { cat drill.log; false; }';
  await machine.run(
    `${commands.replace(/drill start .*/, '{ drill start --no-demo --yes > drill.log 2>&1 & }')}\n${ready}`,
  );
  const host = `-H 'Host: acme.fir.id.example.com'`;
  const listed = await machine.run(`DRILL=http://127.0.0.1:8090
TOKEN=$(curl -s -X POST $DRILL/api/arthr/apiKeys/issue ${host} -H "X-Api-Key: $GROVE_API_KEY" | sed 's/.*"token":"//; s/".*//')
curl -s "$DRILL/api/process-manager/processInstances" ${host} -H "Authorization: Bearer $TOKEN"
pkill --full --signal TERM 'start --no-demo' --uid grove --newest; wait %+ || true`);
  const count = listed.match(/"status":"COMPLETED_ENDED_SUCCESS"/g)?.length ?? 0;
  if (count < 2) throw new Error(listed);
  await machine.run('runuser -u postgres -- dropdb --force grove_drill; rm -r /var/lib/grove-drill');
  return `${count} verifications of the backup are there`;
}

export async function rotate({ machine, page }: World): Promise<string> {
  const caller = await startCaller(machine, URL_OF_TENANT);
  await runAll(machine, page.take(10));
  const { calls } = await caller.stop();
  ensure(await machine.run('cat /etc/grove/keys/master.key'), /^2:/m);
  return `${calls} calls meanwhile, none failed`;
}

/** Begins again from an empty database with the previous release, then follows the page. */
export async function upgrade({ machine, page, version, previous }: World): Promise<string> {
  await machine.run(`systemctl stop grove@8080 grove@8081
runuser -u postgres -- dropdb --force grove; runuser -u postgres -- createdb grove --owner grove
install -d /opt/grove/${previous} && cd /opt/grove/${previous} && echo '{"private":true}' > package.json
npm install ~/grove-idv-linux-${process.arch}-${previous}.tgz
ln -sfn ${previous} /opt/grove/current && rm -r /opt/grove/${version} && systemctl start grove@8080 grove@8081`);
  const output = await machine.run(
    'grove tenant create acme --name "Acme Ltd"; grove keys create trial --tenant acme --test',
  );
  const [key] = ensure(output, /grv_test_[\w-]+/);
  await machine.run(
    `export GROVE_API_KEY=${key}; cd ~/backend; node_modules/.bin/node verify.ts 2> /dev/null || /opt/grove/current/node_modules/.bin/node verify.ts`,
  );
  const [forward = '', back = ''] = page.take(11);
  const caller = await startCaller(machine, URL_OF_TENANT);
  ensure(await machine.run(forward), new RegExp(`"version":"${version.replaceAll('.', '\\.')}"`));
  await machine.run('cd ~/backend; /opt/grove/current/node_modules/.bin/node verify.ts');
  await machine.run(back);
  ensure(
    await machine.run('readlink /proc/$(systemctl show -P MainPID grove@8080)/cwd; grove --version'),
    new RegExp(previous.replaceAll('.', '\\.')),
  );
  await machine.run('cd ~/backend; /opt/grove/current/node_modules/.bin/node verify.ts');
  const { calls } = await caller.stop();
  return `${previous} to ${version} and back: ${calls} calls meanwhile, none failed`;
}
