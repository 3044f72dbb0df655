import { useMemo, useState } from 'preact/hooks';
import type { Journey, ShellApi } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Problem } from '../problem.ts';
import type { Memory } from '../remember.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Closed, Devices } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** Shown on the phone: who asks, from where, and which number the first device shows. */
type ConfirmProps = {
  t: Translate;
  language: string;
  handoff: Memory['handoff'];
  api: ShellApi;
  onConfirmed(journey: Journey): void;
};

export function ConfirmScreen({ t, language, handoff, api, onConfirmed }: ConfirmProps) {
  const [ending, setEnding] = useState<'wrong' | 'denied'>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const attempt = async (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      // Whatever the number was: there is nothing left to confirm.
      if (thrown instanceof Problem && [100064, 100054].includes(thrown.code)) setEnding('wrong');
      else setError(thrown);
    }
    setBusy(false);
  };
  if (ending || !handoff) return <EndScreen t={t} how={ending ?? 'wrong'} />;
  return (
    <>
      <Devices small />
      <Title>{t('confirm.title')}</Title>
      <p class="lead">{t('confirm.text', { tenant: handoff.tenantName })}</p>
      <Origin t={t} language={language} handoff={handoff} />
      <h2 id="which">{t('confirm.which')}</h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and these are buttons. */}
      <div class="numbers" role="group" aria-labelledby="which">
        {handoff.numbers.map((number) => (
          <Button
            key={number}
            busy={busy}
            onPress={() => attempt(async () => onConfirmed(await api.confirmHandoff(number)))}
          >
            {number}
          </Button>
        ))}
      </div>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        <Button kind="quiet" onPress={() => attempt(() => api.denyHandoff().then(() => setEnding('denied')))}>
          {t('confirm.notMe')}
        </Button>
      </div>
    </>
  );
}

function Origin({ t, language, handoff }: { t: Translate; language: string; handoff: NonNullable<Memory['handoff']> }) {
  // The language is that of the page; the format of the date is that of the device, if its language is the same.
  const time = useMemo(() => {
    const places = (navigator.languages ?? []).filter((each) => each.startsWith(language));
    const format = new Intl.DateTimeFormat([...places, language], { dateStyle: 'medium', timeStyle: 'short' });
    return format.format(new Date(handoff.offeredDtm));
  }, [language, handoff]);
  return (
    <div class="panel tinted">
      <dl class="facts">
        <div>
          <dt>{t('confirm.browser')}</dt>
          <dd>{browserText(t, handoff.browser)}</dd>
        </div>
        <Whereabouts t={t} language={language} offerPlace={handoff.place} />
        <div>
          <dt>{t('confirm.time')}</dt>
          <dd>{time}</dd>
        </div>
      </dl>
    </div>
  );
}

/** Translates "Chrome on Windows" into the language of the page. */
function browserText(t: Translate, browserName: string): string {
  const [name = '', system] = browserName.split(' on ');
  const browser = name === 'A browser' ? t('confirm.aBrowser') : name;
  return system === undefined ? browser : t('confirm.browserOn', { browser, system });
}

type OfferPlace = NonNullable<Memory['handoff']>['place'];

/** The likely place of the other device, and how it was determined. */
function Whereabouts({ t, language, offerPlace = {} }: { t: Translate; language: string; offerPlace: OfferPlace }) {
  const { city, countryCode, addressCountryCode } = offerPlace;
  const [country, address] = useMemo(
    () => [countryCode, addressCountryCode].map((code) => code && countryName(code, language)),
    [countryCode, addressCountryCode, language],
  );
  const near = city && (country && country !== city ? `${city}${language === 'ar' ? '،' : ','} ${country}` : city);
  const lines = [
    near && t('confirm.place.clock', { place: near }),
    address && t('confirm.place.address', { country: address }),
  ].filter((each) => each !== undefined && each !== '');
  if (lines.length === 0) return null;
  return (
    <div>
      <dt>{t('confirm.place')}</dt>
      {lines.map((each) => (
        <dd class="long" key={each}>
          {each}
        </dd>
      ))}
    </div>
  );
}

function countryName(code: string, language: string): string {
  return new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? code;
}

function EndScreen({ t, how }: { t: Translate; how: 'wrong' | 'denied' }) {
  return (
    <>
      <Closed />
      <Title>{t(`confirm.${how}.title`)}</Title>
      <p class="lead">{t(`confirm.${how}.text`)}</p>
    </>
  );
}
