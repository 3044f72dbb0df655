import { createClient } from 'grove-idv-sdk';

const baseUrl = process.env.GROVE_URL ?? 'http://localhost:8080';

// 1. The client exchanges the API key for a bearer token, and renews the token before it expires.
const grove = createClient({ baseUrl, apiKey: process.env.GROVE_API_KEY ?? '' });

// 2. A process token binds a process definition. One token serves many end users.
const token = await grove.processTokens.create({
  body: { name: `quick start ${new Date().toISOString()}`, processDefnName: 'document-and-selfie' },
});

// 3. A process instance is the verification of one end user.
const parameters = { firstName: 'Ada', lastName: 'Byrne', _scenario: process.argv[2] ?? 'passed' };
const body = { parameters, externalReference: 'customer 1042' };
const { processInstanceId, redirectUrl } = await grove.processInstances.create({ query: { pt: token.id }, body });
console.log('send the end user to', redirectUrl);

// 4. The end user goes through the journey. Here a script does what the browser would do behind that address.
const code = new URLSearchParams(new URL(redirectUrl).hash.slice(1)).get('c');
let cookie = '';
const session = await browse('/api/journey/sessions', { code });
cookie = (session.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
const journey = `/api/journey/${processInstanceId}`;
for (;;) {
  const { step, waitingFor, revision } = await (await browse(journey)).json();
  if (step) {
    // In the sandbox a JSON document stands in for a photograph.
    if (step.type === 'document') await browse(`${journey}/steps/${step.id}/images/front`, { person: 'ada' });
    if (step.type === 'face') await browse(`${journey}/steps/${step.id}/images/image`, { person: 'ada' });
    const result = step.type === 'consent' ? { accepted: true } : {};
    await browse(`${journey}/steps/${step.id}`, { revision, result });
    console.log('the end user did', step.id);
  } else if (waitingFor === 'check') await new Promise((done) => setTimeout(done, 100));
  else break;
}

// 5. The back end reads the outcome. In production, a webhook says when.
const instance = await grove.processInstances.get({ processInstanceId });
console.log('the outcome is', instance.status, `(${instance.statusMapped})`);

// 6. The back end reads the data of the end user, and the checks.
const place = { processDefnId: instance.processDefnId, processInstanceId };
const { documents } = await grove.userData.get(place);
for (const { fieldName, values } of documents.doc1?.biographicData ?? []) {
  console.log(`  ${fieldName}: ${values.mrzValue ?? values.barcodeValue ?? values.visualZoneValue}`);
}
for (const { step, name, status } of await grove.userData.listChecks(place))
  console.log(`  ${step} ${name}: ${status}`);

async function browse(path: string, body?: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...(cookie && { cookie }) };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(baseUrl + path, { ...sent, headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}
