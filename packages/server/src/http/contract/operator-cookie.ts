/** The cookie of an operator's session. With https its name binds it to this very host. */
export function operatorCookieName(scheme: 'http' | 'https'): string {
  return `${scheme === 'https' ? '__Host-' : ''}grove-operator`;
}
