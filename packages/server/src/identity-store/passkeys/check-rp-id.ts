import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/**
 * Second-level domains under which anybody can register a name, by country. This list is short and gives an early
 * error; browsers check the whole Public Suffix List.
 */
const OPEN_SECOND_LEVELS = new Set(['ac', 'co', 'com', 'edu', 'gob', 'gov', 'go', 'ne', 'net', 'or', 'org']);
const COUNTRIES_THAT_OPEN_THEM = new Set(
  'ae ar au bd br cn co ec eg gh hk id il in jp ke kr lk mx my ng nz pe ph pk pl py sa sg th tr tw ua ug uk uy ve vn za'.split(
    ' ',
  ),
);

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the reason why a text cannot be a relying party id, or undefined (WebAuthn 5.1.2: at least a registrable
 * domain).
 */
export function faultOfRpId(rpId: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(rpId)) return 'must be a domain such as example.com, without https://';
  if (rpId.includes('/')) return 'must be a domain, without a path';
  if (isIP(rpId.replace(/^\[(.*)\]$/, '$1'))) return 'must be a domain: browsers accept no IP address';
  if (rpId.includes(':')) return 'must be a domain, without a port: it covers every port';
  const ascii = domainToASCII(rpId);
  if (ascii !== '' && ascii !== rpId) return `must be written as browsers compare it: ${ascii}`;
  const labels = rpId.split('.');
  if (!labels.every((label) => LABEL.test(label))) return 'must be a domain such as example.com';
  if (labels.at(-1) === 'localhost') return undefined;
  if (labels.length === 1) return 'must be a domain of yours: a top-level domain belongs to everybody';
  const [second = '', top = ''] = labels;
  const open = labels.length === 2 && OPEN_SECOND_LEVELS.has(second) && COUNTRIES_THAT_OPEN_THEM.has(top);
  return open ? 'must be a domain of yours: names under this one belong to everybody' : undefined;
}
