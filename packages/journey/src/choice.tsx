import { useMemo, useState } from 'preact/hooks';
import { countriesIn, likelyCountry } from './countries.ts';
import type { Translate } from './i18n/translate.ts';
import { Button } from './ui/button.tsx';
import { Icon, type IconName } from './ui/icons.tsx';
import { Title } from './ui/title.tsx';

/** Asks for the document and its country, as far as they are unknown. */
export type Choice = { documentType: string; countryCode: string };

export type ChoiceProps = {
  t: Translate;
  language: string;
  accept: readonly string[];
  /** ISO 3166-1 alpha-3; any country by default. */
  countries?: readonly string[] | undefined;
  preset: Partial<Choice>;
  onChoose(choice: Choice): void;
};

/** The choice, if only one is possible. */
export function settledChoice({ accept, countries, preset }: Pick<ChoiceProps, 'accept' | 'countries' | 'preset'>) {
  const documentType = preset.documentType ?? (accept.length === 1 ? accept[0] : undefined);
  const countryCode = preset.countryCode ?? (countries?.length === 1 ? countries[0] : undefined);
  return documentType && countryCode ? { documentType, countryCode } : undefined;
}

const ICONS: Readonly<Record<string, IconName>> = {
  PASSPORT: 'passport',
  ID_CARD: 'document',
  DRIVERS_LICENSE: 'licence',
  OTHER: 'form',
};

export function ChooseDocument({ t, language, accept, countries, preset, onChoose }: ChoiceProps) {
  const list = useMemo(() => countriesIn(language, countries), [language, countries]);
  const likely = likelyCountry(navigator.languages ?? []);
  const [countryCode, setCountryCode] = useState(
    preset.countryCode ?? list.find(({ code }) => code === likely)?.code ?? (list.length === 1 ? list[0]?.code : ''),
  );
  const [documentType, setDocumentType] = useState(
    preset.documentType ?? (accept.length === 1 ? accept[0] : undefined),
  );
  const [isSubmitted, setIsSubmitted] = useState(false);
  const go = (event: Event) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (documentType && countryCode) return onChoose({ documentType, countryCode });
    document.getElementById(countryCode ? 'choice-type' : 'choice-country')?.focus();
  };
  return (
    <form noValidate onSubmit={go} class="view">
      <Title>{t('choice.title')}</Title>
      {!preset.countryCode && (
        <div class="field">
          <label for="choice-country">{t('choice.country')}</label>
          <select
            id="choice-country"
            autocomplete="country"
            value={countryCode}
            aria-invalid={isSubmitted && !countryCode}
            aria-describedby={isSubmitted && !countryCode ? 'choice-country-fault' : undefined}
            onChange={({ currentTarget }) => setCountryCode(currentTarget.value)}
          >
            <option value="">{t('choice.choose')}</option>
            {list.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
          {isSubmitted && !countryCode && <Missing id="choice-country-fault" text={t('choice.country.missing')} />}
        </div>
      )}
      {!preset.documentType && (
        <fieldset class="field" aria-describedby={isSubmitted && !documentType ? 'choice-type-fault' : undefined}>
          <legend>{t('choice.type')}</legend>
          <div class="choices">
            {accept.map((type, at) => (
              <label class="choice" key={type}>
                <input
                  type="radio"
                  name="documentType"
                  id={at === 0 ? 'choice-type' : undefined}
                  checked={documentType === type}
                  onChange={() => setDocumentType(type)}
                />
                {t(`choice.${type}`)}
                <Icon name={ICONS[type] ?? 'form'} />
              </label>
            ))}
          </div>
          {isSubmitted && !documentType && <Missing id="choice-type-fault" text={t('choice.type.missing')} />}
        </fieldset>
      )}
      <div class="actions">
        <Button kind="primary" submit>
          {t('continue')}
        </Button>
      </div>
    </form>
  );
}

function Missing({ id, text }: { id: string; text: string }) {
  return (
    <p class="error" id={id} role="alert">
      <Icon name="warning" />
      {text}
    </p>
  );
}
