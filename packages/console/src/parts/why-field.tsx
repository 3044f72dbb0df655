import { Textarea } from '@mantine/core';

type WhyProps = { label: string; value: string; onChange(value: string): void; hasFocus?: boolean };

/** The required reason for an action. */
export function WhyField({ label, value, onChange, hasFocus = false }: WhyProps) {
  return (
    <Textarea
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={1000}
      autosize
      minRows={1}
      required
      {...(hasFocus && { 'data-autofocus': true })}
    />
  );
}
