import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

/** Copies a text that stands beside it, and says so. */
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
