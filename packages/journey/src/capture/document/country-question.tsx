import { countryName } from '../../countries.ts';
import type { Translate } from '../../i18n/translate.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Title } from '../../ui/title.tsx';
import { CardFigure } from '../figures.tsx';
import { useSending } from '../use-sending.ts';

/**
 * Asks which country is right if the document looks like one of another country than was chosen. The answer uses the
 * present photographs.
 */
type CountryQuestionProps = {
  t: Translate;
  language: string;
  readCountry: string;
  chosenCountry: string;
  onAnswer(country: string): Promise<void>;
  onAnew(): void;
};

export function CountryQuestion({ t, language, readCountry, chosenCountry, onAnswer, onAnew }: CountryQuestionProps) {
  const sending = useSending();
  const busy = sending.share !== undefined;
  const [readName, chosenName] = [countryName(readCountry, language), countryName(chosenCountry, language)];
  const answer = (country: string) => void sending.attempt(() => onAnswer(country));
  return (
    <>
      <CardFigure kind="card" side="front" />
      <Title>{t('country.title')}</Title>
      <p class="lead">{t('country.text', { read: readName, chosen: chosenName })}</p>
      <ErrorNote t={t} error={sending.error} />
      <div class="actions">
        <Button kind="primary" busy={busy} onPress={() => answer(readCountry)}>
          {t('country.switch', { country: readName })}
        </Button>
        <Button onPress={() => busy || answer(chosenCountry)}>{t('country.keep', { country: chosenName })}</Button>
        <Button kind="quiet" onPress={onAnew}>
          {t('country.anew')}
        </Button>
      </div>
    </>
  );
}
