import type { Journey } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { minutesFor } from '../screen.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Prepare } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** What the end user will need, before anything is asked. */
type StartProps = { t: Translate; journey: Journey; offerPhone: boolean; onStart(): void; onPhone(): void };

/** One line for each kind of thing that has to be at hand. */
const NEEDS: readonly { types: readonly string[]; icon: IconName; key: string }[] = [
  { types: ['document'], icon: 'document', key: 'need.document' },
  { types: ['face', 'faceAuthentication'], icon: 'face', key: 'need.face' },
  { types: ['form', 'customPage'], icon: 'form', key: 'need.form' },
  { types: ['passkeyRegistration', 'passkeyAuthentication'], icon: 'key', key: 'need.passkey' },
  { types: ['totpRegistration', 'totpAuthentication'], icon: 'phone', key: 'need.totp' },
];

export function StartScreen({ t, journey, offerPhone, onStart, onPhone }: StartProps) {
  const { stepTypes, tenantName } = journey;
  const camera = stepTypes.some((type) => /^(document|face)/.test(type));
  const minutes = minutesFor(stepTypes);
  return (
    <>
      <Prepare />
      <Title>{t('start.title')}</Title>
      <p class="lead">{t('start.lead', { tenant: tenantName })}</p>
      <ul class="list">
        {NEEDS.filter(({ types }) => types.some((type) => stepTypes.includes(type))).map(({ icon, key }) => (
          <Need key={key} icon={icon} title={t(key)} text={t(`${key}.text`)} />
        ))}
        {camera && <Need icon="light" title={t('need.light')} text={t('need.light.text')} />}
        <Need icon="clock" title={t('need.time', { minutes })} text={t('need.time.text')} />
      </ul>
      <div class="actions">
        <Button kind="primary" onPress={onStart}>
          {t('start.go')}
        </Button>
        {camera && offerPhone && <Button onPress={onPhone}>{t('start.phone')}</Button>}
      </div>
    </>
  );
}

function Need({ icon, title, text }: { icon: IconName; title: string; text: string }) {
  return (
    <li>
      <Icon name={icon} />
      <span>
        <strong>{title}</strong>
        <small>{text}</small>
      </span>
    </li>
  );
}
