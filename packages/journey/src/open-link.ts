import type { Journey, Session } from './api.ts';
import { embedding, embedQuery, isFramed, keepsCookies } from './embed.ts';
import { addressOf, type Entry } from './link.ts';
import { send } from './network.ts';
import { urlOf } from './operations.ts';
import { Problem } from './problem.ts';
import { recallToken, remember, rememberToken } from './remember.ts';
import { outcomeQuery, wantedOutcome } from './wanted-outcome.ts';

/** Opens the journey that the address names. The secret in the address is used once and then removed from it. */
export type OpenedJourney = {
  instanceId: string;
  /** The state of the journey, if the response held it. */
  journey?: Journey | undefined;
  /** Set if this browser has begun the journey before by the same public link; it can start a new one instead. */
  again?: { startOver(): Promise<OpenedJourney> };
};
/** `ownWindow`: the browser keeps no session for this frame; no code was spent. */
export type Opened = 'noLink' | 'ownWindow' | OpenedJourney;

/** The journey is opened before the app has loaded, and the app may render twice, but a code can be spent only once. */
let current: { key: string; opened: Promise<Opened> } | undefined;

/** Opens each entry once; a failed one can be opened again. */
export function openLink(entry: Entry): Promise<Opened> {
  const key = JSON.stringify(entry);
  if (current?.key !== key) {
    const opened = open(entry);
    current = { key, opened };
    opened.catch(() => {
      current = undefined;
    });
  }
  return current.opened;
}

async function open(entry: Entry): Promise<Opened> {
  if (isFramed && !keepsCookies()) return 'ownWindow';
  switch (entry.kind) {
    case 'nothing':
      return 'noLink';
    case 'instance':
      return { instanceId: entry.instanceId, journey: await readJourney(entry.instanceId) };
    case 'code':
      return openCode(entry);
    case 'token':
      return openToken(entry);
  }
}

const CODE_GONE = 100055;

/** People open the link in their mail twice. Then the code is spent, but the cookie of the first time is valid. */
async function openCode({ code, instanceId }: Extract<Entry, { kind: 'code' }>): Promise<Opened> {
  try {
    return await redeem({ code });
  } catch (error) {
    const isGone = error instanceof Problem && error.code === CODE_GONE;
    const journey = isGone && instanceId ? await readJourney(instanceId) : undefined;
    if (!journey || !instanceId) throw error;
    return arrive({ instanceId, journey });
  }
}

/** A public link starts a journey. If this browser has started one before, the end user may continue that one. */
async function openToken(entry: Extract<Entry, { kind: 'token' }>): Promise<Opened> {
  const name = `${entry.tn ?? location.host} ${entry.pt}`;
  const startOver = async () => {
    const opened = await redeem({ pt: entry.pt, ...(entry.tn !== undefined && { tn: entry.tn }) });
    rememberToken(name, opened.instanceId);
    return opened;
  };
  const before = recallToken(name);
  const journey = before === undefined ? undefined : await readJourney(before);
  const isOpen = journey && !journey.result && journey.device.active;
  return before !== undefined && isOpen ? { instanceId: before, journey, again: { startOver } } : startOver();
}

/** Any fault is shown when the page reads the journey again, which it does with retries. */
async function readJourney(instanceId: string): Promise<Journey | undefined> {
  try {
    const { text } = await send(
      `${urlOf('/api/journey/{processInstanceId}', { processInstanceId: instanceId })}?theme=true`,
    );
    return JSON.parse(text) as Journey;
  } catch {
    return undefined;
  }
}

/** Never retried without a response: a code works once, and a token would start a second journey. */
async function redeem(body: { code: string } | { pt: string; tn?: string }): Promise<OpenedJourney> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { text } = await send(urlOf('/api/journey/sessions', {}), { ...body, ...embedding, timeZone });
  const { processInstanceId: instanceId, handoff, journey } = JSON.parse(text) as Session;
  const scenario = wantedOutcome();
  // The sandbox panel reports an unknown outcome.
  if (scenario && journey?.environment === 'test') {
    const path = urlOf('/api/journey/{processInstanceId}/simulation', { processInstanceId: instanceId });
    await send(path, { scenario }).catch(() => undefined);
  }
  if (handoff) remember(instanceId, { handoff });
  return arrive({ instanceId, journey });
}

/** Removes the secret before the page shows anything, because addresses are stored, copied and shared. */
export function arrive(opened: OpenedJourney): OpenedJourney {
  history.replaceState(
    history.state,
    '',
    addressOf(opened.instanceId, location, { ...embedQuery(), ...outcomeQuery() }),
  );
  return opened;
}
