import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Journey } from './api.ts';
import { useWayBack } from './back-stack.ts';
import { LANGUAGE_NAMES, LANGUAGES } from './i18n/languages.ts';
import type { Translate } from './i18n/translate.ts';
import type { Words } from './i18n/use-messages.ts';
import { onTrouble } from './network.ts';
import { Icon } from './ui/icons.tsx';

/** The frame of every screen: the tenant, the progress, the language, and the state of the network. */
type ShellProps = {
  words: Words;
  journey?: Journey | undefined;
  /** The tenant's name on a page without a journey. */
  tenantName?: string | undefined;
  logoUrl?: string | undefined;
  /** Steps show the progress; other screens do not. */
  progress?: boolean;
  wide?: boolean;
  children: ComponentChildren;
};

export function Shell(props: ShellProps) {
  const { words, journey, tenantName, logoUrl, progress = false, wide = false, children } = props;
  const { t } = words;
  const back = useWayBack();
  return (
    <div class={wide ? 'shell wide' : 'shell'}>
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <header>
        <div class="top">
          {back && (
            <button type="button" class="back" aria-label={t('backOne')} onClick={back}>
              <Icon name="back" />
            </button>
          )}
          <Brand name={journey?.tenantName ?? tenantName} logoUrl={logoUrl} />
          <LanguageChoice words={words} />
        </div>
        <Offline words={words} />
        {journey?.environment === 'test' && <Sandbox t={t} journey={journey} />}
        {progress && journey && <Progress words={words} journey={journey} />}
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot">
        <a href="/web/accessibility" target="_blank" rel="noopener">
          {t('a11y.link')}
        </a>
      </footer>
    </div>
  );
}

/** Marks journeys of the sandbox, and lets developers choose the outcome. */
function Sandbox({ t, journey }: { t: Translate; journey: Journey }) {
  const [Panel, setPanel] = useState<ComponentType<{ instanceId: string }>>();
  if (journey.result || !journey.device.active) return <p class="sandbox">{t('sandbox')}</p>;
  const open = () => {
    if (!Panel) void import('./sandbox-panel.tsx').then(({ SandboxPanel }) => setPanel(() => SandboxPanel));
  };
  return (
    <details class="sandbox" onToggle={open}>
      <summary>{t('sandbox')}</summary>
      {Panel && <Panel instanceId={journey.processInstanceId} />}
    </details>
  );
}

function Brand({ name, logoUrl }: { name: string | undefined; logoUrl: string | undefined }) {
  const [broken, setBroken] = useState(false);
  if (logoUrl && !broken) {
    return (
      <div class="brand">
        <img src={logoUrl} alt={name ?? ''} onError={() => setBroken(true)} />
      </div>
    );
  }
  if (!name) return <div class="brand" />;
  return (
    <div class="brand">
      <span class="mark" aria-hidden="true">
        {[...name][0]?.toLocaleUpperCase()}
      </span>
      <span>{name}</span>
    </div>
  );
}

function LanguageChoice({ words: { t, language, setLanguage } }: { words: Words }) {
  return (
    <label class="language">
      <span class="hidden">{t('language')}</span>
      <select value={language} onChange={({ currentTarget }) => setLanguage(currentTarget.value)}>
        {LANGUAGES.map((each) => (
          <option key={each} value={each} lang={each}>
            {LANGUAGE_NAMES[each]}
          </option>
        ))}
      </select>
      <Icon name="chevron" />
    </label>
  );
}

function Progress({ words: { t }, journey }: { words: Words; journey: Journey }) {
  const { position, total } = journey.progress;
  if (total < 2) return null;
  return (
    <div class="progress">
      <p>{t('progress', { position, total })}</p>
      <div aria-hidden="true">
        <span style={{ inlineSize: `${Math.round((position / total) * 100)}%` }} />
      </div>
    </div>
  );
}

/** Says that the network is away, that nothing is lost, and that waiting requests continue by themselves. */
function Offline({ words: { t } }: { words: Words }) {
  const [away, setAway] = useState(false);
  useEffect(() => {
    const off = () => setAway(true);
    const on = () => setAway(false);
    addEventListener('offline', off);
    addEventListener('online', on);
    const stop = onTrouble(setAway);
    if (navigator.onLine === false) off();
    return () => {
      removeEventListener('offline', off);
      removeEventListener('online', on);
      stop();
    };
  }, []);
  return (
    <div role="status">
      {away && (
        <p class="banner">
          <Icon name="offline" />
          {t('offline')}
        </p>
      )}
    </div>
  );
}
