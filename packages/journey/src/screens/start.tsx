import type { Journey } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Prepare } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** Lists what the end user will need, before the first step. */
type StartProps = { t: Translate; journey: Journey; offerPhone: boolean; onStart(): void; onPhone(): void };

const ICONS: Readonly<Record<Journey['needs'][number], IconName>> = {
  document: 'document',
  face: 'face',
  form: 'form',
  passkey: 'key',
  totp: 'phone',
};

export function StartScreen({ t, journey, offerPhone, onStart, onPhone }: StartProps) {
  const { needs, minutes, tenantName } = journey;
  const camera = needs.includes('document') || needs.includes('face');
  return (
    <>
      <Prepare />
      <Title>{t('start.title')}</Title>
      <p class="lead">{t('start.lead', { tenant: tenantName })}</p>
      <ul class="list">
        {needs.map((need) => (
          <Need key={need} icon={ICONS[need]} title={t(`need.${need}`)} text={t(`need.${need}.text`)} />
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
