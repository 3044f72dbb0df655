import { useEffect, useState } from 'preact/hooks';

/** A QR code as one path, with the quiet zone of four modules that readers need. */
const QUIET = 4;

type DrawnCode = { text: string; path: string; size: number };

/** The encoder is loaded only when a code is shown, because few pages have one. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<DrawnCode>();
  useEffect(() => {
    let current = true;
    import('uqr').then(
      ({ encode }) => {
        // A screen has no scratches, so less error correction gives fewer and larger squares, which scan faster.
        const { data, size } = encode(text, { ecc: 'L', boostEcc: true, border: QUIET });
        if (current) setCode({ text, path: darkPath(data), size });
      },
      // The link beside the code works as well.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [text]);
  if (code?.text !== text) return <div class="qr" />;
  return (
    <div class="qr">
      <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={label} shape-rendering="crispEdges">
        <path d={code.path} fill="currentColor" />
      </svg>
    </div>
  );
}

/** Adjacent dark modules become one stroke. */
export function darkPath(rows: readonly (readonly boolean[])[]): string {
  const parts: string[] = [];
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      let end = x;
      while (row[end + 1]) end += 1;
      parts.push(`M${x} ${y}h${end - x + 1}v1H${x}z`);
      x = end;
    }
  });
  return parts.join('');
}
