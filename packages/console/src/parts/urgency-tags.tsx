import type { Result } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { Tag } from './badges.tsx';
import { useMomentText } from './moment.tsx';

type Queued = Pick<Result<'reviews', 'get'>, 'priority' | 'dueDtm'>;

const SOON_MS = 60 * 60 * 1000;

/** The priority of a case, and its deadline if that is near or over. */
export function UrgencyTags({ priority, dueDtm }: Queued) {
  const t = useT();
  const momentText = useMomentText();
  const left = dueDtm === undefined ? Number.POSITIVE_INFINITY : Date.parse(dueDtm) - Date.now();
  return (
    <>
      {priority !== 'NORMAL' && (
        <>
          {' '}
          <Tag tone={priority === 'URGENT' ? 'bad' : 'wait'}>{t(`priority.${priority}`)}</Tag>
        </>
      )}
      {left <= SOON_MS && (
        <span title={t('due.at', { time: momentText(dueDtm) })}>
          {' '}
          <Tag tone={left <= 0 ? 'bad' : 'wait'}>{t(left <= 0 ? 'due.overdue' : 'due.soon')}</Tag>
        </span>
      )}
    </>
  );
}
