import { useEffect, useState } from 'preact/hooks';
import type { Simulation } from './api.ts';
import { send } from './network.ts';
import { urlOf } from './operations.ts';
import { wantedOutcome } from './wanted-outcome.ts';

/**
 * A panel for developers, in English only: it chooses the outcome of a sandbox journey, and lists what a live one would
 * ask for. The server refuses both for live journeys.
 */
export function SandboxPanel({ instanceId }: { instanceId: string }) {
  const [simulation, setSimulation] = useState<Simulation>();
  const [state, setState] = useState<'idle' | 'saved' | 'failed'>('idle');
  const path = urlOf('/api/journey/{processInstanceId}/simulation', { processInstanceId: instanceId });
  useEffect(() => {
    send(path).then(
      ({ text }) => setSimulation(JSON.parse(text) as Simulation),
      () => setState('failed'),
    );
  }, [path]);
  const choose = async (scenario: string) => {
    try {
      const { text } = await send(path, { scenario });
      setSimulation(JSON.parse(text) as Simulation);
      setState('saved');
    } catch {
      setState('failed');
    }
  };
  if (!simulation) return <p role="status">{state === 'failed' ? 'The outcomes could not be read.' : 'Loading …'}</p>;
  const { scenario, scenarios, steps } = simulation;
  const wantedScenario = wantedOutcome();
  const unknown =
    wantedScenario !== undefined && !scenarios.some(({ name }) => name === wantedScenario) ? wantedScenario : undefined;
  const { description, outcome } = scenarios.find(({ name }) => name === scenario) ?? { description: '', outcome: '' };
  return (
    <div class="sandbox-panel" lang="en" dir="ltr">
      {unknown && <p>There is no outcome “{unknown}”.</p>}
      <label>
        Outcome of this journey
        <select value={scenario} onChange={({ currentTarget }) => void choose(currentTarget.value)}>
          {scenarios.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p role="status">
        {state === 'failed' ? 'The outcome could not be saved.' : `${description} Ends as ${outcome}.`}
        {state === 'saved' && ' Chosen for the checks to come.'}
      </p>
      <p>
        In links: <code>&amp;simulate={scenario}</code>; by API: the parameter <code>_scenario</code>.
      </p>
      <h2>A live journey asks for</h2>
      <ol>
        {steps.map(({ id, type, settings }) => (
          <li key={id}>{askOf(type, settings)}</li>
        ))}
      </ol>
    </div>
  );
}

const ASKS: Readonly<Record<string, string>> = {
  consent: 'Consent to the processing, with a button of its own',
  switchDevice: 'Going on with a phone, at a computer',
  customPage: 'A page of yours',
  passkeyRegistration: 'Creating a passkey',
  passkeyAuthentication: 'Using a passkey',
  totpRegistration: 'Setting up an authenticator app, with a code to confirm it',
  totpAuthentication: 'A code of the authenticator app',
};

type Settings = Readonly<Record<string, unknown>>;

/** Describes in words what a step asks for. */
export function askOf(type: string, settings: Settings): string {
  if (type === 'document') {
    const kinds = listOf(settings.accept);
    const camera = settings.requireLiveCapture ? 'by the camera alone' : 'by the camera, or from a file';
    return `Photographs of a document ${camera}${kinds && `: ${kinds}`}`;
  }
  if (type === 'face') {
    return settings.liveness === 'active'
      ? 'A selfie with an active challenge: the server asks for movements one by one (turning the head, looking up or down, closing the eyes, opening the mouth) and checks frames of each'
      : 'A selfie; whether a live person is in front of the camera is judged from the picture';
  }
  if (type === 'form') {
    const { properties = {} } = (settings.schema ?? {}) as { properties?: object };
    return `A form with ${Object.keys(properties).join(', ')}`;
  }
  return ASKS[type] ?? type;
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.map((each) => String((each as { type?: string }).type ?? each)).join(', ') : '';
}
