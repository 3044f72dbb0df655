/** A line drawing of 24 by 24, in the colour of the surrounding text. */
export function Drawing({ path, weight }: { path: string; weight: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        stroke-width={weight}
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
