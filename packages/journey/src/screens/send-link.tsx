import { useEffect, useState } from 'preact/hooks';
import type { Journey, Offer, ShellApi } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Landing } from '../ui/landing.tsx';
import { AddressForm, type Channel } from './address-form.tsx';

/** The link of a hand-off by e-mail or text message, for who cannot scan the code. */
type SendLinkProps = {
  t: Translate;
  language: string;
  messages: NonNullable<Journey['messages']>;
  api: ShellApi;
  /** What was sent takes the place of the code that was shown. */
  onSent(offer: Offer): void;
};

/** Messages take a moment; who asks again at once gets two. */
const AGAIN_AFTER_MS = 30_000;

type Sent = { channel: Channel; to: string | undefined; address: string };

export function SendLink({ t, language, messages, api, onSent }: SendLinkProps) {
  const [channel, setChannel] = useState<Channel>();
  const [sent, setSent] = useState<Sent>();
  const send = (by: Channel) => async (to: string | undefined) => {
    const { sentTo, ...offer } = await api.sendHandoff({ channel: by, language, ...(to !== undefined && { to }) });
    setSent({ channel: by, to, address: sentTo });
    setChannel(undefined);
    onSent(offer);
  };
  const failed = messages.handoff === 'FAILED';
  if (channel) {
    const known = channel === 'EMAIL' ? messages.email : messages.phoneNumber;
    return (
      <AddressForm
        key={channel}
        {...{ t, channel, known, go: t('send.go'), limit: t('send.limit') }}
        onSend={send(channel)}
        onCancel={() => setChannel(undefined)}
      />
    );
  }
  return (
    <>
      <div role="status">
        {sent && (
          <Landing>
            <p class="panel tinted centred">
              {failed ? t('send.failed') : t('send.sent', { address: `\u2068${sent.address}\u2069` })}
            </p>
          </Landing>
        )}
      </div>
      {sent && !failed ? (
        <Again key={sent.address} t={t} onPress={() => setChannel(sent.channel)} />
      ) : (
        messages.channels.map((each) => (
          <Button key={each} onPress={() => setChannel(each)}>
            {t(each === 'EMAIL' ? 'send.email' : 'send.sms')}
          </Button>
        ))
      )}
    </>
  );
}

/** Not at once, and then with the choice of another address. */
function Again({ t, onPress }: { t: Translate; onPress(): void }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), AGAIN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return shown ? <Button onPress={onPress}>{t('send.again')}</Button> : null;
}
