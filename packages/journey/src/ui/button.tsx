import type { ComponentChildren } from 'preact';

/** A button that says while it works that it works, and cannot be pressed twice meanwhile. */
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
      // Disabled in name only: a button that really is loses the focus, and whoever uses a keyboard their place.
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
