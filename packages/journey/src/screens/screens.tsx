import { useMemo } from 'preact/hooks';
import { entryOf } from '../steps/registry.ts';
import { StepHost } from '../steps/step-host.tsx';
import { isPhone } from '../ui/is-phone.ts';
import { ChangeScreen } from './change.tsx';
import { ConfirmScreen } from './confirm.tsx';
import { ElsewhereScreen, HandOffScreen, WatchingScreen } from './hand-off.tsx';
import { ResultScreen, ReturnToFirstScreen } from './result.tsx';
import type { ScreenProps } from './screen-props.ts';
import { StartScreen } from './start.tsx';
import { UnableScreen } from './unable.tsx';
import { PausedScreen, WaitingScreen } from './waiting.tsx';

/** Shows the screen of the journey's state. */
export function Screens(props: ScreenProps) {
  const { screen, journey, state, api, words, memory, note, overlay } = props;
  const { t, language } = words;
  switch (screen) {
    case 'confirm':
      return <ConfirmScreen t={t} language={language} api={api} handoff={memory.handoff} onConfirmed={state.take} />;
    case 'start':
      return (
        <StartScreen
          t={t}
          journey={journey}
          offerPhone={!isPhone()}
          onStart={() => note({ started: true })}
          onPhone={() => overlay('handOff')}
        />
      );
    case 'handOff':
      return <HandOffScreen t={t} language={language} journey={journey} api={api} onStay={() => overlay(undefined)} />;
    case 'watching':
      return <WatchingScreen t={t} journey={journey} onTakeBack={async () => state.take(await api.takeBack())} />;
    case 'elsewhere':
      return <ElsewhereScreen t={t} />;
    case 'waiting':
      return <WaitingScreen t={t} language={language} journey={journey} api={api} />;
    case 'paused':
      return <PausedScreen t={t} journey={journey} />;
    case 'result':
      return <ResultScreen t={t} language={language} journey={journey} api={api} declined={memory.declined ?? false} />;
    case 'returnToFirst':
      return <ReturnToFirstScreen t={t} journey={journey} />;
    case 'unable':
      return (
        <UnableScreen
          t={t}
          tenant={journey.tenantName}
          onConfirm={async () => {
            const { step } = journey;
            await state.submit({ unable: true });
            if (step) note({ personFor: step.id });
          }}
          onBack={() => overlay(undefined)}
        />
      );
    case 'change':
      return <ChangeScreen words={words} journey={journey} onRepeat={state.repeat} onBack={() => overlay(undefined)} />;
    default:
      return <CurrentStep {...props} />;
  }
}

function CurrentStep({ journey, state, api, words, note, overlay }: ScreenProps) {
  const { step } = journey;
  const attemptKey = step && `${step.id} ${step.attempt}`;
  // The API belongs to one attempt of one step, because uploads do.
  const stepApi = useMemo(() => step && api.ofStep(step), [api, attemptKey]);
  const { t, language } = words;
  if (!step || !stepApi || !words.has(entryOf(step.type)?.areas ?? [])) {
    return (
      <p class="live centred" role="status">
        <span class="spinner" aria-hidden="true" />
        <span class="hidden">{t('loading')}</span>
      </p>
    );
  }
  const submit = async (result: object) => {
    if (step.type === 'consent' && (result as { accepted?: boolean }).accepted === false) note({ declined: true });
    await state.submit({ result });
  };
  return (
    <StepHost
      journey={journey}
      step={step}
      api={stepApi}
      t={t}
      language={language}
      submit={submit}
      useAnyway={() => state.submit({ useAnyway: true })}
      unable={() => overlay('unable')}
      handOff={() => overlay('handOff')}
    />
  );
}
