/** Looks like the page before the app has loaded, so that nothing jumps. */
export function Opening() {
  return (
    <div class="opening" aria-hidden="true">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 3l7.5 2.5v6c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5v-6zM8.5 12l2.5 2.5 4.5-5" />
      </svg>
      <span />
      <span />
      <span />
    </div>
  );
}
