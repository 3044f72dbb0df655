import type { ComponentChildren } from 'preact';

/** A button that shows while it works, and cannot be pressed twice meanwhile. */
export type ButtonProps = {
  kind?: 'primary' | 'quiet' | undefined;
  busy?: boolean | undefined;
  submit?: boolean | undefined;
  onPress?(): void;
  children: ComponentChildren;
};

export function Button({ kind, busy = false, submit = false, onPress, children }: ButtonProps) {
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${kind ?? ''}`}
      // It is not `disabled`, because a disabled button loses the focus, and keyboard users their place.
      aria-disabled={busy}
      aria-busy={busy}
      onClick={(event) => {
        if (!busy) return onPress?.();
        event.preventDefault();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
