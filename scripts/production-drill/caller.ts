import type { Machine } from './machine.ts';

/** A caller that sends requests through the proxy without a pause, while servers are restarted one after the other. */
export type Caller = { stop(): Promise<{ calls: number }> };

const SCRIPT = `
const [, , base, key] = process.argv;
let isOver = false;
process.on('SIGTERM', () => { isOver = true; });
const faults = {};
let calls = 0;
const count = (what) => { faults[what] = (faults[what] ?? 0) + 1; };
while (!isOver) {
  for (const call of [
    () => fetch(base + '/api/arthr/apiKeys/issue', { method: 'POST', headers: { 'X-Api-Key': key } }),
    () => fetch(base + '/health/ready'),
  ]) {
    calls++;
    try {
      const answer = await call();
      await answer.text();
      if (!answer.ok) count(String(answer.status));
    } catch (error) { count(error.cause?.code ?? error.message); }
  }
  await new Promise((done) => setTimeout(done, 20));
}
console.log(JSON.stringify({ calls, faults }));
`;

export async function startCaller(machine: Machine, base: string): Promise<Caller> {
  await machine.run(`cat > /root/caller.mjs <<'END'\n${SCRIPT}END
setsid node /root/caller.mjs ${base} "$GROVE_API_KEY" > /root/called.txt 2>&1 & CALLER=$!`);
  return {
    async stop() {
      const printed = await machine.run('kill -TERM $CALLER; wait $CALLER; cat /root/called.txt');
      const { calls, faults } = JSON.parse(/^\{"calls".*$/m.exec(printed)?.[0] ?? '{}') as {
        calls: number;
        faults: Record<string, number>;
      };
      if (!calls || Object.keys(faults).length > 0)
        throw new Error(`of ${calls} calls failed ${JSON.stringify(faults)}`);
      return { calls };
    },
  };
}
