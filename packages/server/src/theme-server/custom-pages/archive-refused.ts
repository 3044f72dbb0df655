/** Why an archive, or a folder, is no custom page. A word for programs, and a sentence for people. */
export const REASONS = {
  not_a_zip: 'is not a whole zip archive',
  too_large: 'is larger than it may be',
  too_many_entries: 'holds more entries than it may',
  too_many_bytes: 'holds more than it may once it is unpacked',
  ratio: 'is packed more tightly than any page is',
  overlap: 'has entries that lie over each other',
  header_mismatch: 'says one thing in its directory and another in front of the file',
  encrypted: 'is encrypted',
  method: 'is packed in a way that is not deflate',
  zip64: 'is in the format for archives of gigabytes',
  symlink: 'is a link or a device, and not a file',
  absolute_path: 'has a path that begins at a root',
  parent_path: 'has a path that leads out of the archive',
  bad_name: 'must be named with letters, digits, dots, _ and -, and not begin with a dot',
  long_path: 'has a path that is too long or too deep',
  twice: 'is there twice, if upper and lower case are the same',
  type: 'must be html, css, js, json, png, jpg, webp or woff2',
  wrong_content: 'is not what its name says it is',
  not_text: 'must be UTF-8 text without NUL',
  checksum: 'does not have the checksum that the archive says',
  corrupt: 'cannot be unpacked',
  no_index: 'has no index.html at its top',
} as const;

export type Reason = keyof typeof REASONS;

/** Nothing else is thrown by what reads archives. */
export class ArchiveRefused extends Error {
  readonly reason: Reason;
  /** The entry it is about; none if it is about the whole. */
  readonly path: string | undefined;

  constructor(reason: Reason, path?: string) {
    super(`${path === undefined ? 'the archive' : printable(path)} ${REASONS[reason]} (${reason})`);
    this.name = 'ArchiveRefused';
    this.reason = reason;
    this.path = path === undefined ? undefined : printable(path);
  }
}

const MAX_SHOWN = 100;

/** Names in an archive are a stranger's: they are shown shortened, and without what a terminal would obey. */
function printable(path: string): string {
  const plain = path.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}
