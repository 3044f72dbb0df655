import { TextInput } from '@mantine/core';
import { useT } from '../texts/texts.tsx';

type NameFieldProps = { name: string; onName(name: string): void; maxLength: number };

/** The first field of a form that makes something with a name. */
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
