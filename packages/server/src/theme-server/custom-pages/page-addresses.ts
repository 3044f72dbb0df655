/** The URLs of pages: on hosts of their own if a domain for pages is configured, otherwise below the tenant's URL. */
export type PageAddresses = {
  /** The full URL, for callers of the API. */
  whole(tenantId: string, label: string): string;
  /** The URL for a journey: relative to the journey's origin, unless a domain for pages is configured. */
  inJourney(tenantId: string, label: string): string;
};

type Deps = { pagesDomain: string | undefined; baseUrlOf(tenantId: string): string };

export function pageAddresses({ pagesDomain, baseUrlOf }: Deps): PageAddresses {
  const below = (label: string) => `/pages/${label}/`;
  if (pagesDomain === undefined) {
    return {
      whole: (tenantId, label) => `${baseUrlOf(tenantId)}${below(label)}`,
      inJourney: (_tenantId, label) => below(label),
    };
  }
  const whole = (tenantId: string, label: string) => {
    const { protocol, port } = new URL(baseUrlOf(tenantId));
    return `${protocol}//${label}.${pagesDomain}${port && `:${port}`}/`;
  };
  return { whole, inJourney: whole };
}
