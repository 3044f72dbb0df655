/** Where pages are shown: under hosts of their own where there is a domain for them, else below the tenant's address. */
export type PageAddresses = {
  /** For whoever calls the API. */
  whole(tenantId: string, label: string): string;
  /** For the journey: below its own origin, whatever that is, unless pages have a domain. */
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
