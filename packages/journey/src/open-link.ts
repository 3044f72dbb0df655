import type { Journey, Session } from './api.ts';
import { embedding, embedQuery, isFramed, keepsCookies } from './embed.ts';
import { addressOf, type Entry } from './link.ts';
import { send } from './network.ts';
import { urlOf } from './operations.ts';
import { Problem } from './problem.ts';
import { recallToken, remember, rememberToken } from './remember.ts';
import { outcomeQuery, wantedOutcome } from './wanted-outcome.ts';

/** Opens the journey that the address names. What opens it is spent once, and then leaves the address. */
export type OpenedJourney = {
  instanceId: string;
  /** Where the journey stands, if that was answered at once. */
  journey?: Journey | undefined;
  /** This browser has begun it before by the same public link; a new one can be started instead. */
  again?: { startOver(): Promise<OpenedJourney> };
};
/** `ownWindow`: the browser keeps no session for a frame; nothing was spent. */
export type Opened = 'noLink' | 'ownWindow' | OpenedJourney;

/** The app is begun before it is there and may be drawn twice; a code is spent once. */
let current: { key: string; opened: Promise<Opened> } | undefined;

/** Asks once for each entry; what failed can be asked again. */
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

/** People open the link in their mail twice. The code is spent then, but the cookie of the first time opens the journey. */
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

/** A public link begins a journey. Who has begun one by it in this browser is asked whether to go on with that. */
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

/** Whatever is wrong shows when the page asks again, which it does with patience. */
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

/** Not sent again when nobody answers: a code is good for one time, and a token would make a second journey. */
async function redeem(body: { code: string } | { pt: string; tn?: string }): Promise<OpenedJourney> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { text } = await send(urlOf('/api/journey/sessions', {}), { ...body, ...embedding, timeZone });
  const { processInstanceId: instanceId, handoff, journey } = JSON.parse(text) as Session;
  const scenario = wantedOutcome();
  // What is no outcome is said by the panel.
  if (scenario && journey?.environment === 'test') {
    const path = urlOf('/api/journey/{processInstanceId}/simulation', { processInstanceId: instanceId });
    await send(path, { scenario }).catch(() => undefined);
  }
  if (handoff) remember(instanceId, { handoff });
  return arrive({ instanceId, journey });
}

/** Before anything is shown or asked: an address is kept, copied and sent on. */
export function arrive(opened: OpenedJourney): OpenedJourney {
  history.replaceState(
    history.state,
    '',
    addressOf(opened.instanceId, location, { ...embedQuery(), ...outcomeQuery() }),
  );
  return opened;
}
