/** The regional systems of the specification. Each is an installation of its own. */
export const REGIONS = ['fir', 'gum', 'oak'] as const;
export type Region = (typeof REGIONS)[number];

export function isRegion(value: unknown): value is Region {
  return (REGIONS as readonly unknown[]).includes(value);
}
