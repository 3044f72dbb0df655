/**
 * What the browser noticed while the photograph was made. The server trusts none of it, and it says nothing about the
 * person: it helps reviewers of a case.
 */
export type PictureHints = {
  readonly source: 'auto' | 'manual' | 'file' | 'pdf' | 'sample';
  readonly cameraLabel?: string;
  readonly virtualCamera?: boolean;
  readonly torch?: boolean;
  readonly width?: number;
  readonly height?: number;
  /** The number of pages of a PDF; the first is used. */
  readonly pages?: number;
  /** The hash of the bytes that are sent. */
  readonly sha256?: string;
  /** The time from the open camera to the photograph. */
  readonly milliseconds?: number;
};

export type ClientHints = Readonly<Record<string, string | number | boolean>>;

/** The hints of several photographs in one flat object; each name has the side in front: `frontSource`. */
export function hintsOfSides(sides: readonly { side: string; hints: PictureHints }[]): ClientHints {
  return Object.fromEntries(
    sides.flatMap(({ side, hints }) =>
      Object.entries(hints).map(([name, value]) => [`${side}${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]),
    ),
  );
}
