import { hash } from 'node:crypto';
import type { SQLOutputValue } from 'node:sqlite';

/**
 * Rows in the text format of PostgreSQL's COPY. PostgreSQL writes the same bytes when it copies a table out, so the lines of
 * both directions can be compared.
 */
const NULL = '\\N';
const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that COPY escapes
const ESCAPED = /[\\\n\r\t\x08\f\v]/g;

export function copyLine(row: readonly SQLOutputValue[]): string {
  return row.map(copyValue).join('\t');
}

function copyValue(value: SQLOutputValue): string {
  if (value === null) return NULL;
  if (typeof value === 'string') return value.replace(ESCAPED, (sign) => ESCAPES[sign] as string);
  if (value instanceof Uint8Array) return bytesText(value);
  return String(value);
}

const bytesText = (bytes: Uint8Array) =>
  `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;

/**
 * The line to compare. The two engines write fractions as different texts, so a fraction is compared by its eight bytes.
 * `fractions` are the positions of those columns.
 */
export function comparableLine(row: readonly SQLOutputValue[], fractions: readonly number[]): string {
  if (fractions.length === 0) return copyLine(row);
  return copyLine(row.map((value, at) => (fractions.includes(at) && typeof value === 'number' ? bits(value) : value)));
}

function bits(value: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

const MODULUS = 1n << 128n;

/** The number of lines and the sum of their hashes, which do not depend on the order of the lines. */
export type Tally = { rows: number; sum: bigint };

export const EMPTY: Tally = { rows: 0, sum: 0n };

export function addLine({ rows, sum }: Tally, line: string | Uint8Array): Tally {
  const digest = hash('sha256', line, 'buffer');
  return { rows: rows + 1, sum: (sum + (digest.readBigUInt64BE(0) << 64n) + digest.readBigUInt64BE(8)) % MODULUS };
}

export const sumText = (sum: bigint) => sum.toString(16).padStart(32, '0');
export const sumOf = (text: string) => BigInt(`0x${text}`);
