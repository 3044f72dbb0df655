import { encode } from 'uqr';

/** A QR code as one path, with the quiet zone of four modules that readers need. */
const QUIET = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET });
  return (
    <div class="qr">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
        <path d={darkPath(data)} fill="currentColor" />
      </svg>
    </div>
  );
}

/** Dark modules that stand side by side become one stroke. */
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
