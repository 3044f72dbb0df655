/** The headers that a tenant may set on requests that are sent for it. */

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that delimit or route a message (request smuggling), and our own. */
const OWN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*|webhook-.*)$/i;
/** The characters that HTTP allows: visible characters of Latin-1, blanks and tabs. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Ensures that a tenant may set the header. Returns the fault. */
export function headerNameFault(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'must be the name of a header';
  return OWN_HEADERS.test(name) ? 'is a header that Grove sets itself' : undefined;
}

export const HEADER_VALUE_FAULT = 'must hold no line break and no other script';

export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}
