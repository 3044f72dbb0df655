import type { Journey } from '../api.ts';
import { type LocalText, OwnText } from '../i18n/own-text.tsx';
import type { Words } from '../i18n/use-messages.ts';
import type { Memory } from '../remember.ts';
import { Icon } from '../ui/icons.tsx';

/** Says before a step why it is requested again, or what became of the previous one. */
type StepNoticeProps = { words: Words; journey: Journey; memory: Memory };

export function StepNotice({ words: { t, language }, journey, memory }: StepNoticeProps) {
  const { askedAgain, step, tenantName: tenant } = journey;
  if (askedAgain) {
    const { reason = 'other', message } = askedAgain;
    return (
      <div class="panel tinted notice" role="status">
        <Icon name="person" />
        <div>
          <strong>{t('askedAgain.title', { tenant })}</strong>
          <p>{t(`askedAgain.${reason}`)}</p>
          {message && (
            <p>
              <OwnText text={message as LocalText} language={language} />
            </p>
          )}
        </div>
      </div>
    );
  }
  if (memory.personFor !== undefined && memory.personFor !== step?.id) {
    return (
      <div class="panel tinted notice" role="status">
        <Icon name="person" />
        <p>{t('unable.done', { tenant })}</p>
      </div>
    );
  }
  return null;
}
