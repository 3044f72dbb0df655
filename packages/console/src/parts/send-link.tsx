import { Button, Divider, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useMay, useSession } from '../api/session.tsx';
import { useT, useTexts } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { Dialog, OnceShown } from './dialogs.tsx';
import { JOURNEY_LANGUAGES } from './journey-languages.ts';

type Receiver = { id: string; email?: string | undefined };

/** Makes a link with which the person continues, and sends it by e-mail or shows it. */
export function SendLink({ id, email }: Receiver) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState<string>();
  const show = useAct(
    () => call('processInstances', 'createResumeLink', { params: { processInstanceId: id }, body: {} }),
    ({ redirectUrl }) => {
      setOpen(false);
      setLink(redirectUrl);
    },
  );
  const maySend = may('processInstances', 'sendResumeLink');
  const mayShow = may('processInstances', 'createResumeLink');
  if (!maySend && !mayShow) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('instance.sendLink')}</Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('instance.sendLink')}>
        {maySend && <MailForm id={id} email={email} onSent={() => setOpen(false)} />}
        {maySend && mayShow && <Divider my="md" label={t('link.or')} />}
        {mayShow && (
          <Button variant="default" fullWidth onClick={() => show.mutate(undefined)} loading={show.isPending}>
            {t('link.show')}
          </Button>
        )}
      </Dialog>
      <OnceShown
        title={t('instance.sendLink')}
        lead={t('case.asked')}
        value={link}
        withQrCode
        onClose={() => setLink(undefined)}
      />
    </>
  );
}

export function MailForm({ id, email, onSent }: Receiver & { onSent(): void }) {
  const { t, language } = useTexts();
  const { masked } = useSession();
  // An operator who sees the address masked sends the link to the known address.
  const knownAddress = masked ? '' : (email ?? '');
  const [to, setTo] = useState(knownAddress);
  const [messageLanguage, setMessageLanguage] = useState<string>(language);
  const languageNames = new Intl.DisplayNames([language], { type: 'language' });
  const send = useAct(
    () =>
      call('processInstances', 'sendResumeLink', {
        params: { processInstanceId: id },
        body: { ...(to !== knownAddress && { to }), language: messageLanguage },
      }),
    ({ sentTo }) => {
      say(t('link.sent', { address: sentTo }));
      onSent();
    },
  );
  return (
    <ActForm act={send} submitLabel={t('link.send')} isDisabled={to === '' && !email}>
      <TextInput
        label={t('join.email')}
        description={t('link.mailHint')}
        type="email"
        maxLength={254}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        {...(masked && { placeholder: email })}
        data-autofocus
      />
      <NativeSelect
        label={t('link.language')}
        value={messageLanguage}
        data={JOURNEY_LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value }))}
        onChange={(event) => setMessageLanguage(event.currentTarget.value)}
      />
    </ActForm>
  );
}
