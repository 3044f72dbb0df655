import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Journey, JourneyApi, JourneyStep } from './api.ts';
import { Opening } from './app-opening.tsx';
import { directionOf, LANGUAGES } from './i18n/languages.ts';
import { loadMessages } from './i18n/load-messages.ts';
import { type Messages, translator } from './i18n/translate.ts';
import type { Words } from './i18n/use-messages.ts';
import { Shell } from './shell.tsx';
import { FormStep } from './steps/form.tsx';
import type { Theme } from './theme/theme.ts';
import { useTheme } from './theme/use-theme.ts';
import { whenParsed } from './when-parsed.ts';

/**
 * Shows a form as end users will see it to the person who builds it in the console. The console frames this page and
 * sends it the form; the page sends no input anywhere. Only pages of the same origin may frame it or send it messages.
 */
type View = { settings: Record<string, unknown>; language: string; theme?: Theme; tenantName?: string };
export const SHOW = 'grove-preview';
export const READY = 'grove-preview-ready';

export async function showPreview(): Promise<void> {
  const root = await whenParsed();
  root.textContent = '';
  render(<Preview />, root);
}

function readView({ origin, source, data }: MessageEvent): View | undefined {
  if (origin !== location.origin || source !== parent || typeof data !== 'object' || data === null) return undefined;
  return data.type === SHOW && typeof data.settings === 'object' ? (data as View) : undefined;
}

function Preview() {
  const [view, setView] = useState<View>();
  useEffect(() => {
    const hear = (event: MessageEvent) => setView((before) => readView(event) ?? before);
    addEventListener('message', hear);
    parent.postMessage({ type: READY }, location.origin);
    return () => removeEventListener('message', hear);
  }, []);
  const words = useWords(view?.language ?? LANGUAGES[0]);
  useTheme(view?.theme);
  if (!view || !words) return <Opening />;
  const { settings, tenantName } = view;
  return (
    <Shell words={words} tenantName={tenantName} logoUrl={view.theme?.logoUrl}>
      <FormStep
        // A changed form starts with empty fields, so that no input of a removed field stays.
        key={JSON.stringify(settings)}
        journey={NO_JOURNEY}
        api={NO_API}
        t={words.t}
        language={words.language}
        step={{ ...NO_STEP, settings } as JourneyStep}
        submit={async () => undefined}
        useAnyway={async () => undefined}
        unable={() => undefined}
        handOff={() => undefined}
      />
    </Shell>
  );
}

const NO_JOURNEY = { processInstanceId: 'preview' } as Journey;
const NO_STEP = { id: 'preview', type: 'form', attempt: 1, maxAttempts: 1, triesLeft: 1, images: [] };
const NO_API = {} as JourneyApi;

/** Loads the texts in the language that the builder has chosen, whatever this browser prefers. */
function useWords(language: string): Words | undefined {
  const [texts, setTexts] = useState<{ language: string; messages: Messages }>();
  useEffect(() => {
    let isWanted = true;
    Promise.all([loadMessages('shell', language), loadMessages('steps', language)]).then(
      ([shell, steps]) => isWanted && setTexts({ language, messages: { ...shell, ...steps } }),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [language]);
  useEffect(() => {
    if (!texts) return;
    document.documentElement.lang = texts.language;
    document.documentElement.dir = directionOf(texts.language);
  }, [texts]);
  return useMemo(() => {
    if (!texts) return undefined;
    const t = translator(texts.messages, texts.language);
    return { t, language: texts.language, setLanguage: () => undefined, has: () => true };
  }, [texts]);
}
