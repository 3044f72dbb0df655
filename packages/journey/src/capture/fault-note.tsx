import type { JourneyStep } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Icon } from '../ui/icons.tsx';
import { faultTextOf } from './fault-text.ts';

/** Shows what was wrong with the last attempt, what to do about it, and how many attempts are left. */
type FaultNoteProps = { t: Translate; step: JourneyStep; kind: 'card' | 'face' };

export function FaultNote({ t, step, kind }: FaultNoteProps) {
  if (!step.fault) return null;
  const triesLeft = step.triesLeft;
  const key = faultTextOf(step.fault.reason, kind);
  return (
    <div class="panel fault" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{t(`fault.${key}`)}</strong>
        <p>
          {t(`fault.${key}.remedy`)} {triesLeft > 0 && t('fault.left', { left: triesLeft })}
        </p>
      </div>
    </div>
  );
}
