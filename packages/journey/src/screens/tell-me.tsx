import { useState } from 'preact/hooks';
import type { Journey, ShellApi } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Landing } from '../ui/landing.tsx';
import { AddressForm } from './address-form.tsx';

/** Offers one e-mail when the case is decided, so that nobody has to wait here. */
export type TellMeProps = { t: Translate; language: string; journey: Journey; api: ShellApi };

export function TellMe({ t, language, journey, api }: TellMeProps) {
  const [asking, setAsking] = useState(false);
  const [sentAddress, setSentAddress] = useState<string>();
  const { messages, tenantName: tenant } = journey;
  const address = sentAddress ?? messages?.tells;
  const ask = async (to: string | undefined) => {
    const { sentTo } = await api.tellWhenDecided({ language, ...(to !== undefined && { to }) });
    setSentAddress(sentTo);
    setAsking(false);
  };
  if (asking) {
    return (
      <>
        <p class="note">{t('tell.text')}</p>
        <AddressForm
          t={t}
          channel={'EMAIL'}
          knownAddress={messages?.email}
          go={t('tell.go')}
          limit={t('tell.limit', { tenant })}
          onSend={ask}
          onCancel={() => setAsking(false)}
        />
      </>
    );
  }
  return (
    <>
      <div role="status">
        {address && (
          <Notice isNew={sentAddress !== undefined} text={t('tell.done', { address: `\u2068${address}\u2069` })} />
        )}
      </div>
      <div class="actions">
        <Button onPress={() => setAsking(true)}>{t(address ? 'send.other' : 'tell.offer')}</Button>
      </div>
    </>
  );
}

/** A new notice takes the focus; one that was there when the page loaded does not. */
function Notice({ isNew, text }: { isNew: boolean; text: string }) {
  const words = <p class="panel tinted">{text}</p>;
  return isNew ? <Landing>{words}</Landing> : words;
}
