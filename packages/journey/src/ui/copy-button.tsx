import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

/** Copies a text beside it, and confirms it. */
type CopyButtonProps = { text: string; label: string; done: string; onRefused?(): void };

export function CopyButton({ text, label, done, onRefused }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // The text can be copied by hand.
      setCopied(false);
      onRefused?.();
    }
  };
  return (
    <>
      <Button onPress={copy}>{copied ? done : label}</Button>
      <span class="hidden" role="status">
        {copied ? done : ''}
      </span>
    </>
  );
}
