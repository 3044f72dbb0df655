import { isPassing, type Trouble } from '../explain-problem.ts';
import type { Translate } from '../i18n/translate.ts';
import { leadsAway } from '../leads-away.ts';
import { Problem } from '../problem.ts';
import { Button } from '../ui/button.tsx';
import { Reference } from '../ui/error-note.tsx';
import { Again, Closed, Late, LostFigure } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** Shown if the whole journey is blocked: the reason, the remedy, and the reference for support. */
type TroubleProps = { t: Translate; trouble: Trouble | 'noLink'; error?: unknown; onRetry?(): void };

const LATE: ReadonlySet<string> = new Set<Trouble>(['link', 'tokenEnded', 'tokenEarly']);
/** The troubles whose remedy is a new link from the company. */
const ASK_FOR_LINK: ReadonlySet<string> = new Set<Trouble>([
  'link',
  'finished',
  'session',
  'token',
  'tokenEnded',
  'tokenUsedUp',
  'tokenUnknown',
]);

export function TroubleScreen({ t, trouble, error, onRetry }: TroubleProps) {
  const passing = trouble !== 'noLink' && isPassing(trouble);
  const { tenantName: tenant, returnUrl } = (error instanceof Problem ? error.link : undefined) ?? {};
  const home = returnUrl !== undefined && leadsAway(returnUrl) ? returnUrl : undefined;
  return (
    <>
      {trouble === 'network' ? <LostFigure /> : LATE.has(trouble) ? <Late /> : passing ? <Again /> : <Closed />}
      <Title>{t(`trouble.${trouble}.title`)}</Title>
      <p class="lead">{t(`trouble.${trouble}.text`)}</p>
      {ASK_FOR_LINK.has(trouble) && <p>{tenant ? t('trouble.askTenant', { tenant }) : t('trouble.askSender')}</p>}
      <p>
        <Reference t={t} error={error} />
      </p>
      <div class="actions">
        {onRetry && (passing || trouble === 'tokenEarly') && (
          <Button kind="primary" onPress={onRetry}>
            {t('again')}
          </Button>
        )}
        {tenant && home && (
          <a class="button" href={home} rel="noreferrer">
            {t('trouble.home', { tenant })}
          </a>
        )}
      </div>
    </>
  );
}
