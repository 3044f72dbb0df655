import { Code, Stack, Text, TextInput } from '@mantine/core';
import { useT } from '../texts/texts.tsx';

const DIGITS = 6;

type CodeFieldProps = { digits: string; onDigits(digits: string): void; fault?: string | undefined };

/** The field for the six digits of an authenticator app. */
export function CodeField({ digits, onDigits, fault }: CodeFieldProps) {
  const t = useT();
  return (
    <TextInput
      label={t('code.label')}
      value={digits}
      onChange={(event) => onDigits(event.currentTarget.value.replace(/\D/g, '').slice(0, DIGITS))}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern={`\\d{${DIGITS}}`}
      error={fault}
      dir="ltr"
      required
      autoFocus
      data-autofocus
    />
  );
}

/** The QR code that the app scans, shown once. */
export function AppSetUp({
  enrolment: { qrCode, secret, uri },
}: {
  enrolment: Record<'qrCode' | 'secret' | 'uri', string>;
}) {
  const t = useT();
  return (
    <Stack gap="xs" align="center" mb="md">
      <img src={qrCode} alt={t('code.scan')} className="qr-code" />
      <Text size="sm" ta="center">
        {t('code.scan')}
      </Text>
      <a href={uri}>{t('code.openApp')}</a>
      <Code className="wrap">{secret}</Code>
    </Stack>
  );
}
