import { useEffect, useMemo, useState } from 'preact/hooks';
import { createSession, openApi } from './api.ts';
import { Opening } from './app-opening.tsx';
import { troubleOf } from './explain-problem.ts';
import { useMessages } from './i18n/use-messages.ts';
import { JourneyPage } from './journey-page.tsx';
import { addressOf, type Entry, readLink } from './link.ts';
import { remember } from './remember.ts';
import { TroubleScreen } from './screens/trouble.tsx';
import { Shell } from './shell.tsx';

/** Opens the journey that the address names. What opens it is spent once, and then leaves the address. */
type Opened = { instanceId: string } | { error: unknown } | 'noLink' | undefined;

export function App() {
  const entry = useMemo(() => readLink(location.search), []);
  const [opened, setOpened] = useState<Opened>(() => atOnce(entry));
  const [tries, setTries] = useState(0);
  const words = useMessages(['shell']);

  // A try is a reason to open it again.
  useEffect(() => {
    if (entry.kind !== 'code' && entry.kind !== 'token') return;
    let current = true;
    redeem(entry).then(
      (instanceId) => current && setOpened({ instanceId }),
      (error) => current && setOpened({ error }),
    );
    return () => {
      current = false;
    };
  }, [entry, tries]);

  const instanceId = typeof opened === 'object' && 'instanceId' in opened ? opened.instanceId : undefined;
  const api = useMemo(() => (instanceId ? openApi(instanceId) : undefined), [instanceId]);
  if (api && instanceId) return <JourneyPage api={api} instanceId={instanceId} />;
  if (!words || opened === undefined) return <Opening />;
  const error = typeof opened === 'object' && 'error' in opened ? opened.error : undefined;
  const retry = () => {
    setOpened(undefined);
    setTries(tries + 1);
  };
  return (
    <Shell words={words}>
      <div class="view">
        <TroubleScreen
          t={words.t}
          trouble={opened === 'noLink' ? 'noLink' : troubleOf(error)}
          error={error}
          onRetry={retry}
        />
      </div>
    </Shell>
  );
}

function atOnce(entry: Entry): Opened {
  if (entry.kind === 'instance') return { instanceId: entry.instanceId };
  return entry.kind === 'nothing' ? 'noLink' : undefined;
}

/** A page that is drawn twice must not spend a code twice. */
let spent: { key: string; session: Promise<string> } | undefined;

function redeem(entry: Entry & { kind: 'code' | 'token' }): Promise<string> {
  const key = JSON.stringify(entry);
  if (spent?.key !== key) {
    const session = open(entry);
    spent = { key, session };
    session.catch(() => {
      spent = undefined;
    });
  }
  return spent.session;
}

async function open(entry: Entry & { kind: 'code' | 'token' }): Promise<string> {
  const body =
    entry.kind === 'code' ? { code: entry.code } : { pt: entry.pt, ...(entry.tn !== undefined && { tn: entry.tn }) };
  const { processInstanceId, handoff } = await createSession(body);
  if (handoff) remember(processInstanceId, { handoff });
  // Before anything else is shown or asked: an address is kept, copied and sent on.
  history.replaceState(null, '', addressOf(processInstanceId, location.search));
  return processInstanceId;
}
