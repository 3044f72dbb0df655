import type { Translate } from '../i18n/translate.ts';
import { Title } from '../ui/title.tsx';

/** The accessibility statement: what was done, what is known to be missing, and where to report more. */
const DONE = ['keyboard', 'reader', 'zoom', 'contrast', 'motion', 'time', 'alternative'] as const;

export function AccessibilityScreen({ t }: { t: Translate }) {
  return (
    <>
      <Title>{t('a11y.title')}</Title>
      <p class="lead">{t('a11y.lead')}</p>
      <h2>{t('a11y.done')}</h2>
      <ul class="plain-list">
        {DONE.map((each) => (
          <li key={each}>{t(`a11y.${each}`)}</li>
        ))}
      </ul>
      <h2>{t('a11y.standard')}</h2>
      <p>{t('a11y.standard.text')}</p>
      <h2>{t('a11y.known')}</h2>
      <p>{t('a11y.known.text')}</p>
      <h2>{t('a11y.help')}</h2>
      <p>{t('a11y.help.text')}</p>
    </>
  );
}
