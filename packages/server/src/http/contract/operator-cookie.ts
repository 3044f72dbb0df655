/** The cookie of an operator's session. With https its name binds it to this host: a sibling domain cannot set it. */
export function operatorCookieName(scheme: 'http' | 'https'): string {
  return `${scheme === 'https' ? '__Host-' : ''}grove-operator`;
}
