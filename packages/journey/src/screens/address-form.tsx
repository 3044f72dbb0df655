import { useEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Problem } from '../problem.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Landing } from '../ui/landing.tsx';

/** Where to send a message: the address that is known, shortened, or one that is typed. */
export type Channel = 'EMAIL' | 'SMS';

type AddressFormProps = {
  t: Translate;
  channel: Channel;
  knownAddress: string | undefined;
  /** What the button says for an address that is typed. */
  go: string;
  /** What is said when no more messages may be sent. */
  limit: string;
  /** Without an address it goes to the one that is known. */
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
      // What was known is known no more.
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
  // Who has asked for the field wants to write in it; who wrote something wrong wants to mend it.
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
