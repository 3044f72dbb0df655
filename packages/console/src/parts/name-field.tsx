import { TextInput } from '@mantine/core';
import { useT } from '../texts/texts.tsx';

type NameFieldProps = { name: string; onName(name: string): void; maxLength: number };

export function NameField({ name, onName, maxLength }: NameFieldProps) {
  const t = useT();
  return (
    <TextInput
      label={t('keys.name')}
      value={name}
      onChange={(event) => onName(event.currentTarget.value)}
      maxLength={maxLength}
      required
      data-autofocus
    />
  );
}
