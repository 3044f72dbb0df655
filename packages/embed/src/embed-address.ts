export type EmbedAddress = {
  /** What the frame or window opens. */
  readonly url: string;
  /** Where its messages come from; whatever comes from elsewhere is not listened to. */
  readonly origin: string;
};

/**
 * The link of a journey as a page of `ownOrigin` shows it. Where the host of the link does not name the tenant, its code
 * does: `acme.…`. Throws for what is no link of a journey. Pure.
 */
export function embedAddress(link: string, ownOrigin: string, language?: string): EmbedAddress {
  const url = new URL(link);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('The link of a journey begins with https');
  const code = new URLSearchParams(url.hash.slice(1)).get('c') ?? '';
  const tenant = /^([a-z0-9-]{3,40})\./.exec(code)?.[1];
  if (tenant && !url.searchParams.has('tn')) url.searchParams.set('tn', tenant);
  url.searchParams.set('embed', ownOrigin);
  if (language) url.searchParams.set('lang', language);
  return { url: url.href, origin: url.origin };
}
