import { useEffect, useErrorBoundary, useMemo, useState } from 'preact/hooks';
import type { Journey, ShellApi } from './api.ts';
import { Opening } from './app-opening.tsx';
import { useBack } from './back-stack.ts';
import { troubleOf } from './explain-problem.ts';
import type { Area } from './i18n/load-messages.ts';
import { useMessages } from './i18n/use-messages.ts';
import { prefetch } from './prefetch.ts';
import { recall, remember } from './remember.ts';
import { type Screen, screenOf } from './screen.ts';
import type { Overlay } from './screens/screen-props.ts';
import { Screens } from './screens/screens.tsx';
import { StepNotice } from './screens/step-notice.tsx';
import { TimeLeft } from './screens/time-left.tsx';
import { TroubleScreen } from './screens/trouble.tsx';
import { Shell } from './shell.tsx';
import { entryOf } from './steps/registry.ts';
import { useTheme } from './theme/use-theme.ts';
import { useEmbed, useEmbedError } from './use-embed.ts';
import { useJourney } from './use-journey.ts';
import { useLeaveHint } from './use-leave-hint.ts';

/** One journey from its present state to its end. The server decides what comes next; this shows it. */
type PageProps = { api: ShellApi; instanceId: string; first: Journey | undefined };

export function JourneyPage({ api, instanceId, first }: PageProps) {
  const state = useJourney(api, first);
  const { journey, problem, refresh } = state;
  const [memory, setMemory] = useState(() => recall(instanceId));
  const [overlay, setOverlay] = useOverlay(journey);
  const screen = journey && screenOf(journey, { hasStarted: memory.started ?? false, offering: overlay === 'handOff' });
  const theme = journey?.theme;
  const words = useMessages(useAreas(journey, screen), { language: theme?.defaultLanguage, texts: journey?.texts });
  useTheme(theme);
  const [crash, recover] = useErrorBoundary();
  useEmbed(journey, screen);
  const fault = crash ?? problem;
  useEmbedError(fault === undefined ? undefined : troubleOf(fault));

  const isAtStep = screen === 'step';
  useEffect(() => prefetch(journey, words?.language, isAtStep), [journey, words?.language, isAtStep]);
  useLeaveHint(journey?.step && journey.device.active ? api.leftUrl(journey.step.id) : undefined);

  const note = (next: Parameters<typeof remember>[1]) => {
    remember(instanceId, next);
    setMemory((before) => ({ ...before, ...next }));
  };
  const isFirst = (journey?.progress.position ?? 0) <= 1 && memory.started === true;
  const change = journey && journey.correctable.length > 0 ? () => setOverlay('change') : undefined;
  const toStart = isFirst && journey?.step?.attempt === 1 ? () => note({ started: false }) : undefined;
  useBack(screen === 'step' ? (change ?? toStart) : undefined, 'journey');
  if (!words) return <Opening />;
  // A page stays, with the banner of the network above it, until it can be replaced.
  const trouble = crash ?? (journey && troubleOf(problem) === 'network' ? undefined : problem);
  if (trouble !== undefined) {
    const retry = () => {
      recover();
      void refresh();
    };
    return (
      <Shell words={words} journey={journey}>
        <div class="view">
          <TroubleScreen t={words.t} trouble={troubleOf(trouble)} error={trouble} onRetry={retry} />
        </div>
      </Shell>
    );
  }
  if (!journey || !screen) return <Opening />;
  const shownScreen = (overlay === 'unable' || overlay === 'change') && screen === 'step' ? overlay : screen;
  return (
    <Shell
      words={words}
      journey={journey}
      logoUrl={theme?.logoUrl}
      progress={['step', 'unable', 'change', 'waiting'].includes(shownScreen)}
      wide={shownScreen === 'step' && journey.step?.type === 'customPage'}
    >
      {journey.device.active && <TimeLeft t={words.t} journey={journey} onOver={() => void refresh()} />}
      <div class="view" key={viewKey(journey, shownScreen)}>
        {shownScreen === 'step' && <StepNotice words={words} journey={journey} memory={memory} />}
        <Screens
          screen={shownScreen}
          journey={journey}
          state={state}
          api={api}
          words={words}
          memory={memory}
          note={note}
          overlay={setOverlay}
        />
      </div>
    </Shell>
  );
}

/** Each screen has a key of its own, so that it appears as a new view and the focus moves to its heading. */
function viewKey({ step }: Journey, screen: Screen | 'unable' | 'change'): string {
  return screen === 'step' ? `step ${step?.id} ${step?.attempt}` : screen;
}

/** The overlay over a step; the back button returns to the step. */
function useOverlay(journey: Journey | undefined): [Overlay, (overlay: Overlay) => void] {
  const [overlay, setOverlay] = useState<Overlay>();
  const attemptKey = journey?.step ? `${journey.step.id} ${journey.step.attempt}` : '';
  // An overlay ends with its step.
  useEffect(() => setOverlay(undefined), [attemptKey, journey?.device.active]);
  useBack(overlay === undefined ? undefined : () => setOverlay(undefined), 'overlay');
  return [overlay, setOverlay];
}

function useAreas(journey: Journey | undefined, screen: Screen | undefined): readonly Area[] {
  const [loadedAreas, setLoadedAreas] = useState<readonly Area[]>(['shell']);
  const type = screen === 'step' ? journey?.step?.type : undefined;
  useEffect(() => {
    const stepAreas = (type && entryOf(type)?.areas) || [];
    // Loaded areas stay, so that a change of language loads them all.
    setLoadedAreas((before) =>
      stepAreas.every((area) => before.includes(area)) ? before : [...new Set([...before, ...stepAreas])],
    );
  }, [type]);
  return useMemo(() => loadedAreas, [loadedAreas]);
}
