import { TextInput } from '@mantine/core';
import { useT } from '../texts/texts.tsx';

type DescriptionFieldProps = { description: string; onDescription(description: string): void };

export function DescriptionField({ description, onDescription }: DescriptionFieldProps) {
  const t = useT();
  return (
    <TextInput
      label={t('roles.description')}
      value={description}
      onChange={(event) => onDescription(event.currentTarget.value)}
      maxLength={255}
    />
  );
}
