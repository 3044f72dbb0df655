import type { Journey, Session } from './api.ts';
import { addressOf, type Entry } from './link.ts';
import { send } from './network.ts';
import { remember } from './remember.ts';

/** Opens the journey that the address names. What opens it is spent once, and then leaves the address. */
export type Opened =
  | 'noLink'
  | {
      instanceId: string;
      /** Where the journey stands, if that was answered at once. */
      journey?: Journey | undefined;
    };

/** The app is begun before it is there and may be drawn twice; a code is spent once. */
let spent: { key: string; opened: Promise<Opened> } | undefined;

/** Asks once for each entry; what failed can be asked again. */
export function openLink(entry: Entry): Promise<Opened> {
  const key = JSON.stringify(entry);
  if (spent?.key !== key) {
    const opened = open(entry);
    spent = { key, opened };
    opened.catch(() => {
      spent = undefined;
    });
  }
  return spent.opened;
}

async function open(entry: Entry): Promise<Opened> {
  switch (entry.kind) {
    case 'nothing':
      return 'noLink';
    case 'instance':
      return { instanceId: entry.instanceId, journey: await look(entry.instanceId) };
    case 'code':
      return redeem({ code: entry.code });
    case 'token':
      return redeem({ pt: entry.pt, ...(entry.tn !== undefined && { tn: entry.tn }) });
  }
}

/** Whatever is wrong shows when the page asks again, which it does with patience. */
async function look(instanceId: string): Promise<Journey | undefined> {
  try {
    const { text } = await send(`/api/journey/${encodeURIComponent(instanceId)}?theme=true`);
    return JSON.parse(text) as Journey;
  } catch {
    return undefined;
  }
}

/** Not sent again when nobody answers: a code is good for one time, and a token would make a second journey. */
async function redeem(body: { code: string } | { pt: string; tn?: string }): Promise<Opened> {
  const { text } = await send('/api/journey/sessions', body);
  const { processInstanceId, handoff, journey } = JSON.parse(text) as Session;
  if (handoff) remember(processInstanceId, { handoff });
  // Before anything is shown or asked: an address is kept, copied and sent on.
  history.replaceState(null, '', addressOf(processInstanceId, location));
  return { instanceId: processInstanceId, journey };
}
