import { useQuery } from '@tanstack/react-query';

type QrCodeProps = { text: string; label: string };

/** A text as a QR code for phones. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data } = useQuery({
    queryKey: ['qr-code', text],
    queryFn: async () => (await import('uqr')).encode(text, { ecc: 'M', border: 2 }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return null;
  const path = data.data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${data.size} ${data.size}`} className="qr-code" role="img" aria-label={label}>
      <rect width={data.size} height={data.size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
