/** The interval that contains the true share in 95 of 100 cases (Wilson 1927). It is right for rare events too. */
export function wilson(events: number, tries: number): { low: number; high: number } {
  if (tries === 0) return { low: 0, high: 1 };
  const z = 1.96;
  const share = events / tries;
  const scale = 1 + (z * z) / tries;
  const middle = (share + (z * z) / (2 * tries)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / tries + (z * z) / (4 * tries * tries))) / scale;
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** `3 of 400 = 0.75 % [0.26–2.18]` */
export function share(events: number, tries: number, digits = 2): string {
  const { low, high } = wilson(events, tries);
  const percent = (value: number) => (value * 100).toFixed(digits);
  return `${events} of ${tries} = ${percent(tries === 0 ? 0 : events / tries)} % [${percent(low)}–${percent(high)}]`;
}
