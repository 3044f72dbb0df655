export type EmbedAddress = {
  /** The address that the frame or window opens. */
  readonly url: string;
  /** The origin of its messages; messages from any other origin are ignored. */
  readonly origin: string;
};

/**
 * The link of a journey as a page of `ownOrigin` shows it. If the host of the link does not name the tenant, the code
 * in the link does: `acme.…`. Throws if the address is not the link of a journey. Pure.
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
