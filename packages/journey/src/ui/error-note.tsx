import { troubleOf } from '../explain-problem.ts';
import type { Translate } from '../i18n/translate.ts';
import { Problem } from '../problem.ts';
import { Icon } from './icons.tsx';

/** Shows beside a control why its action failed. */
export function ErrorNote({ t, error }: { t: Translate; error: unknown }) {
  if (error === undefined) return null;
  const trouble = troubleOf(error);
  const noteKind = trouble === 'network' || trouble === 'busy' ? trouble : 'broken';
  return (
    <div role="alert" class="error">
      <Icon name="warning" />
      <span>
        {t(`note.${noteKind}`)} <Reference t={t} error={error} />
      </span>
    </div>
  );
}

export function Reference({ t, error }: { t: Translate; error: unknown }) {
  if (!(error instanceof Problem) || !error.requestId) return null;
  return <span class="reference">{t('reference', { id: error.requestId })}</span>;
}
