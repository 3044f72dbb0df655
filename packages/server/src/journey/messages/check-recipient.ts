import { domainToASCII } from 'node:url';
import type { Channel } from '../../engines/mail/mail.ts';

/** Checks whether a text is an address for messages. Pure. */
export type Recipient = { readonly address: string } | { readonly fault: string };

const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;
/** The characters of an address without quotes (RFC 5321, dot-string). None can begin another header (injection). */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;
/** E.164: the country code, and at most fifteen digits in all. */
const NUMBER = /^\+[1-9]\d{6,14}$/;

export function checkRecipient(channel: Channel, text: string): Recipient {
  return channel === 'EMAIL' ? checkEmail(text.trim()) : checkNumber(text.trim());
}

function checkEmail(text: string): Recipient {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const domain = domainToASCII(text.slice(at + 1));
  const address = `${local}@${domain}`;
  const good = LOCAL.test(local) && local.length <= MAX_LOCAL && DOMAIN.test(domain) && address.length <= MAX_ADDRESS;
  return good ? { address } : { fault: 'must be an e-mail address, such as name@example.com' };
}

/** Accepts the usual spellings: spaces, hyphens, brackets, and two zeros for the plus. */
function checkNumber(text: string): Recipient {
  const address = text.replace(/[\s().\u00a0-]/g, '').replace(/^00/, '+');
  return NUMBER.test(address)
    ? { address }
    : { fault: 'must be a phone number with its country, such as +49 151 23456789' };
}

const SHOWN_DIGITS = 2;

/** Shortens an address so that only its owner recognises it. */
export function shorten(channel: Channel, address: string): string {
  if (channel === 'SMS') return `${address.slice(0, 3)}…${address.slice(-SHOWN_DIGITS)}`;
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}…${address.slice(at)}`;
}
