/** The reasons why an archive or a folder is refused: a word for programs and a sentence for people. */
export const REASONS = {
  not_a_zip: 'is not a complete zip archive',
  too_large: 'is larger than allowed',
  too_many_entries: 'has more entries than allowed',
  too_many_bytes: 'is larger than allowed after unpacking',
  ratio: 'has a compression ratio that is too high',
  overlap: 'overlaps another entry of the archive',
  header_mismatch: 'has a local header that differs from the directory of the archive',
  encrypted: 'is encrypted',
  method: 'is compressed with a method other than deflate',
  zip64: 'is in the ZIP64 format, which is not supported',
  symlink: 'is a link or a device and not a file',
  absolute_path: 'has an absolute path',
  parent_path: 'has a path that leads out of the archive',
  bad_name:
    'must be named with letters, digits, dots, _ and -, neither begin nor end with a dot, and not name a device',
  long_path: 'has a path that is too long or too deep',
  twice: 'occurs twice (upper and lower case are not distinguished)',
  type: 'must be html, css, js, json, png, jpg, webp or woff2',
  wrong_content: 'has content that does not match its extension',
  not_text: 'must be UTF-8 text without NUL',
  checksum: 'does not match its checksum in the archive',
  corrupt: 'cannot be unpacked',
  no_index: 'has no index.html at its top level',
} as const;

export type Reason = keyof typeof REASONS;

/** The only error that the readers of archives throw. */
export class ArchiveRefused extends Error {
  readonly reason: Reason;
  /** The entry that is refused; undefined if it is the whole archive. */
  readonly path: string | undefined;

  constructor(reason: Reason, path?: string) {
    super(`${path === undefined ? 'the archive' : printable(path)} ${REASONS[reason]} (${reason})`);
    this.name = 'ArchiveRefused';
    this.reason = reason;
    this.path = path === undefined ? undefined : printable(path);
  }
}

const MAX_SHOWN = 100;

/** Names in an archive come from strangers: they are shortened, and control characters for a terminal are replaced. */
function printable(path: string): string {
  const plain = path.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}
