import { domainToASCII } from 'node:url';

/**
 * One spelling for all spellings of a document number or an e-mail address; undefined if the value is neither.
 *
 * A number is its letters and digits: blanks, dashes and the filler of machine-readable zones are layout. An address is
 * compared without regard to case; dots and tags before the @ mean different people with some providers, so they stay.
 */
export function normaliseValue(type: 'DOCUMENT_NUMBER' | 'EMAIL', value: string): string | undefined {
  return type === 'DOCUMENT_NUMBER' ? normaliseNumber(value) : normaliseEmail(value);
}

const MAX_NUMBER_LENGTH = 50;
const MAX_ADDRESS_LENGTH = 254;

export function normaliseNumber(value: string): string | undefined {
  const plain = value
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return plain.length > 0 && plain.length <= MAX_NUMBER_LENGTH ? plain : undefined;
}

export function normaliseEmail(value: string): string | undefined {
  const [, local = '', domain = ''] = /^([^\s@]+)@([^\s@]+)$/.exec(value.normalize('NFC').trim()) ?? [];
  const host = domainToASCII(domain.toLowerCase().replace(/\.$/, ''));
  const address = `${local.toLowerCase()}@${host}`;
  return local !== '' && host !== '' && address.length <= MAX_ADDRESS_LENGTH ? address : undefined;
}
