import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { openApi } from './api.ts';
import { Opening } from './app-opening.tsx';
import { troubleOf } from './explain-problem.ts';
import { useMessages } from './i18n/use-messages.ts';
import { JourneyPage } from './journey-page.tsx';
import { keepFocus } from './keep-focus.ts';
import type { Entry } from './link.ts';
import { arrive, type Opened, type OpenedJourney, openLink } from './open-link.ts';
import { Problem } from './problem.ts';
import { OwnWindowScreen } from './screens/own-window.tsx';
import { ResumeScreen } from './screens/resume.tsx';
import { TroubleScreen } from './screens/trouble.tsx';
import { Shell } from './shell.tsx';
import { useTheme } from './theme/use-theme.ts';
import { useEmbedError } from './use-embed.ts';
import { whenParsed } from './when-parsed.ts';

/** Replaces the static content of the page with the app. */
export async function showApp(entry: Entry): Promise<void> {
  const root = await whenParsed();
  root.textContent = '';
  keepFocus(root);
  render(<App entry={entry} />, root);
}

type State = { opened: Opened } | { error: unknown } | undefined;

function App({ entry }: { entry: Entry }) {
  const [state, setState] = useState<State>();
  const [attempts, setAttempts] = useState(0);

  // A new attempt opens the link again.
  useEffect(() => {
    let current = true;
    openLink(entry).then(
      (opened) => current && setState({ opened }),
      (error) => current && setState({ error }),
    );
    return () => {
      current = false;
    };
  }, [entry, attempts]);

  if (state === undefined) return <Opening />;
  if ('opened' in state && state.opened === 'ownWindow') return <OwnWindow />;
  if ('opened' in state && typeof state.opened === 'object') {
    const { opened } = state;
    if (!opened.again) return <Journeys key={opened.instanceId} {...opened} />;
    const { again, ...openedJourney } = opened;
    const goOn = () => setState({ opened: arrive(openedJourney) });
    const startOver = async () => setState({ opened: await again.startOver() });
    return <ResumePrompt opened={openedJourney} onContinue={goOn} onStartOver={startOver} />;
  }
  const retry = () => {
    setState(undefined);
    setAttempts(attempts + 1);
  };
  return <Closed error={'error' in state ? state.error : undefined} noLink={'opened' in state} onRetry={retry} />;
}

function Journeys({ instanceId, journey }: OpenedJourney) {
  const api = useMemo(() => openApi(instanceId), [instanceId]);
  return <JourneyPage api={api} instanceId={instanceId} first={journey} />;
}

type ResumePromptProps = { opened: OpenedJourney; onContinue(): void; onStartOver(): Promise<void> };

/** A journey of this public link was begun in this browser, perhaps by another person: asks whether to continue it. */
function ResumePrompt({ opened: { journey }, onContinue, onStartOver }: ResumePromptProps) {
  const theme = journey?.theme;
  const words = useMessages(['shell'], { language: theme?.defaultLanguage, texts: journey?.texts });
  useTheme(theme);
  if (!words || !journey) return <Opening />;
  return (
    <Shell words={words} journey={journey} logoUrl={theme?.logoUrl}>
      <div class="view">
        <ResumeScreen t={words.t} tenant={journey.tenantName} onContinue={onContinue} onStartOver={onStartOver} />
      </div>
    </Shell>
  );
}

function OwnWindow() {
  const words = useMessages(['shell']);
  if (!words) return <Opening />;
  return (
    <Shell words={words}>
      <div class="view">
        <OwnWindowScreen t={words.t} />
      </div>
    </Shell>
  );
}

/** Shown if the link opens nothing, or cannot be opened now. */
function Closed({ error, noLink, onRetry }: { error: unknown; noLink: boolean; onRetry(): void }) {
  const words = useMessages(['shell']);
  useEmbedError(noLink ? 'noLink' : error === undefined ? undefined : troubleOf(error));
  if (!words) return <Opening />;
  return (
    <Shell words={words} tenantName={error instanceof Problem ? error.link?.tenantName : undefined}>
      <div class="view">
        <TroubleScreen t={words.t} trouble={noLink ? 'noLink' : troubleOf(error)} error={error} onRetry={onRetry} />
      </div>
    </Shell>
  );
}
