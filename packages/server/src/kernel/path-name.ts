import type { FieldFault } from './errors.ts';

/**
 * Ensures that a name which callers choose works in an address. URL parsers remove the segments `.` and `..` (RFC 3986
 * 5.2.4, WHATWG URL), escaped or not, so an object of that name could be created but never be read or deleted.
 */
export function pathNameFault(pointer: string, name: string | undefined): FieldFault | undefined {
  return name === '.' || name === '..' ? { pointer, message: 'must be neither . nor ..' } : undefined;
}
