import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { openApi } from './api.ts';
import { Opening } from './app-opening.tsx';
import { troubleOf } from './explain-problem.ts';
import { useMessages } from './i18n/use-messages.ts';
import { JourneyPage } from './journey-page.tsx';
import type { Entry } from './link.ts';
import { type Opened, openLink } from './open-link.ts';
import { TroubleScreen } from './screens/trouble.tsx';
import { Shell } from './shell.tsx';
import { whenParsed } from './when-parsed.ts';

/** Puts the app in the place of what the page showed until now. */
export async function showApp(entry: Entry): Promise<void> {
  const root = await whenParsed();
  root.textContent = '';
  render(<App entry={entry} />, root);
}

type State = { opened: Opened } | { error: unknown } | undefined;

function App({ entry }: { entry: Entry }) {
  const [state, setState] = useState<State>();
  const [tries, setTries] = useState(0);

  // A try is a reason to open it again.
  useEffect(() => {
    let current = true;
    openLink(entry).then(
      (opened) => current && setState({ opened }),
      (error) => current && setState({ error }),
    );
    return () => {
      current = false;
    };
  }, [entry, tries]);

  if (state === undefined) return <Opening />;
  if ('opened' in state && state.opened !== 'noLink') return <Journeys {...state.opened} />;
  const retry = () => {
    setState(undefined);
    setTries(tries + 1);
  };
  return <Closed error={'error' in state ? state.error : undefined} noLink={'opened' in state} onRetry={retry} />;
}

function Journeys({ instanceId, journey }: Exclude<Opened, 'noLink'>) {
  const api = useMemo(() => openApi(instanceId), [instanceId]);
  return <JourneyPage api={api} instanceId={instanceId} first={journey} />;
}

/** The link does not open anything, or not now. */
function Closed({ error, noLink, onRetry }: { error: unknown; noLink: boolean; onRetry(): void }) {
  const words = useMessages(['shell']);
  if (!words) return <Opening />;
  return (
    <Shell words={words}>
      <div class="view">
        <TroubleScreen t={words.t} trouble={noLink ? 'noLink' : troubleOf(error)} error={error} onRetry={onRetry} />
      </div>
    </Shell>
  );
}
