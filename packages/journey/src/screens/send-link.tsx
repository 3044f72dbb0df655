import { useEffect, useState } from 'preact/hooks';
import type { Journey, Offer, ShellApi } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Landing } from '../ui/landing.tsx';
import { AddressForm, type Channel } from './address-form.tsx';

/** Sends the link of a hand-off by e-mail or text message, to end users who cannot scan the code. */
type SendLinkProps = {
  t: Translate;
  language: string;
  messages: NonNullable<Journey['messages']>;
  api: ShellApi;
  /** Called with the offer that was sent, which replaces the one of the code. */
  onSent(offer: Offer): void;
};

/** Messages take a moment; end users who ask again at once would get two. */
const AGAIN_AFTER_MS = 30_000;

type SentLink = { channel: Channel; to: string | undefined; address: string };

export function SendLink({ t, language, messages, api, onSent }: SendLinkProps) {
  const [channel, setChannel] = useState<Channel>();
  const [sentLink, setSentLink] = useState<SentLink>();
  const send = (by: Channel) => async (to: string | undefined) => {
    const { sentTo, ...offer } = await api.sendHandoff({ channel: by, language, ...(to !== undefined && { to }) });
    setSentLink({ channel: by, to, address: sentTo });
    setChannel(undefined);
    onSent(offer);
  };
  const failed = messages.handoff === 'FAILED';
  if (channel) {
    const knownAddress = channel === 'EMAIL' ? messages.email : messages.phoneNumber;
    return (
      <AddressForm
        key={channel}
        t={t}
        channel={channel}
        knownAddress={knownAddress}
        go={t('send.go')}
        limit={t('send.limit')}
        onSend={send(channel)}
        onCancel={() => setChannel(undefined)}
      />
    );
  }
  return (
    <>
      <div role="status">
        {sentLink && (
          <Landing>
            <p class="panel tinted centred">
              {failed ? t('send.failed') : t('send.sent', { address: `\u2068${sentLink.address}\u2069` })}
            </p>
          </Landing>
        )}
      </div>
      {sentLink && !failed ? (
        <Again key={sentLink.address} t={t} onPress={() => setChannel(sentLink.channel)} />
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

/** Offers to send again, after a while, with the choice of another address. */
function Again({ t, onPress }: { t: Translate; onPress(): void }) {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), AGAIN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isShown ? <Button onPress={onPress}>{t('send.again')}</Button> : null;
}
