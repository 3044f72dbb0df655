import { useEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Problem } from '../problem.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Landing } from '../ui/landing.tsx';

/** Asks where to send a message: to the known address, which is shown shortened, or to another one. */
export type Channel = 'EMAIL' | 'SMS';

type AddressFormProps = {
  t: Translate;
  channel: Channel;
  knownAddress: string | undefined;
  /** The label of the button for a typed address. */
  go: string;
  /** The text shown when no more messages may be sent. */
  limit: string;
  /** Called without an address to use the known one. */
  onSend(to: string | undefined): Promise<void>;
  onCancel(): void;
};

const TOO_MANY = 100161;
const BAD_INPUT = 100001;
const NO_ADDRESS = 100162;
const MAX_LENGTH = 254;

export function AddressForm({ t, channel, knownAddress, go, limit, onSend, onCancel }: AddressFormProps) {
  const [typing, setTyping] = useState(knownAddress === undefined);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [fault, setFault] = useState(false);
  const send = async (to: string | undefined) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    setFault(false);
    try {
      await onSend(to);
    } catch (thrown) {
      const code = thrown instanceof Problem ? thrown.code : undefined;
      if (code === BAD_INPUT && to !== undefined) setFault(true);
      // The known address was deleted meanwhile.
      else if (code === NO_ADDRESS) setTyping(true);
      else setError(thrown);
    }
    setBusy(false);
  };
  const tooMany = error instanceof Problem && error.code === TOO_MANY;
  return (
    <div class="panel">
      {typing ? (
        <Typed t={t} channel={channel} go={go} busy={busy} fault={fault} onSend={send} onEmpty={() => setFault(true)} />
      ) : (
        <Landing>
          <Button kind="primary" busy={busy} onPress={() => void send(undefined)}>
            {t('send.known', { address: knownAddress ?? '' })}
          </Button>
          <Button kind="quiet" onPress={() => setTyping(true)}>
            {t(channel === 'EMAIL' ? 'send.other' : 'send.otherNumber')}
          </Button>
        </Landing>
      )}
      {tooMany ? (
        <p role="alert" class="error">
          <Icon name="warning" />
          {limit}
        </p>
      ) : (
        <ErrorNote t={t} error={error} />
      )}
      <Button kind="quiet" onPress={onCancel}>
        {t('back')}
      </Button>
    </div>
  );
}

const KINDS = {
  EMAIL: { type: 'email', inputMode: 'email', autocomplete: 'email' },
  SMS: { type: 'tel', inputMode: 'tel', autocomplete: 'tel' },
} as const;

type TypedProps = Pick<AddressFormProps, 't' | 'channel' | 'go'> & {
  busy: boolean;
  fault: boolean;
  onSend(to: string): void;
  onEmpty(): void;
};

function Typed({ t, channel, go, busy, fault, onSend, onEmpty }: TypedProps) {
  const [value, setValue] = useState('');
  const input = useRef<HTMLInputElement>(null);
  // The field takes the focus when it appears and after a fault.
  useEffect(() => input.current?.focus(), [fault]);
  const email = channel === 'EMAIL';
  const submit = (event: Event) => {
    event.preventDefault();
    if (value.trim() === '') onEmpty();
    else onSend(value.trim());
  };
  return (
    <form noValidate onSubmit={submit}>
      <div class="field">
        <label for="message-to">{t(email ? 'send.address' : 'send.number')}</label>
        <input
          id="message-to"
          ref={input}
          {...(KINDS[channel] as object)}
          autoCapitalize="off"
          spellcheck={false}
          dir="ltr"
          required
          maxLength={MAX_LENGTH}
          aria-invalid={fault}
          aria-describedby={fault ? 'message-to-fault' : undefined}
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
        />
        {fault && (
          <p class="error" id="message-to-fault">
            <Icon name="warning" />
            {t(email ? 'send.fault.email' : 'send.fault.sms')}
          </p>
        )}
      </div>
      <Button kind="primary" submit busy={busy}>
        {go}
      </Button>
    </form>
  );
}
