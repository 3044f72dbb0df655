import type { FieldFault } from './errors.ts';

/**
 * Ensures that a name which callers choose can stand in an address: URL parsers take the segments `.` and `..` away (RFC
 * 3986 5.2.4, WHATWG URL), escaped or not, so that what bears such a name could be made and never be read or deleted.
 */
export function pathNameFault(pointer: string, name: string | undefined): FieldFault | undefined {
  return name === '.' || name === '..' ? { pointer, message: 'must be neither . nor ..' } : undefined;
}
