import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callForBlob } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useSession } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import type { InstanceRef, UserData } from './case-data.tsx';
import { Waiting } from './states.tsx';

/** The images of a case. The server audits each view, and the viewer's name is drawn over them. */
export type Mark = { kind: 'outline' | 'zone' | 'face' | 'landmarks'; points: readonly number[] };
export type CaseImage = {
  path: string;
  label: string;
  kind: 'document' | 'portrait' | 'face';
  /** What the image analysis found, and where. */
  marks: readonly Mark[];
};

export function imagesOf(data: UserData | undefined): CaseImage[] {
  const images: CaseImage[] = [];
  for (const [key, { images: own, marks = {} }] of Object.entries(data?.documents ?? {})) {
    for (const [name, { path }] of Object.entries(own)) {
      const kind = name === 'portrait' ? 'portrait' : 'document';
      images.push({ path, label: `${key} · ${name}`, kind, marks: marks[name] ?? [] });
    }
  }
  for (const [key, face] of Object.entries(data?.faces ?? {})) {
    const path = pathIn(face);
    const { marks } = face as { marks?: { image?: readonly Mark[] } };
    if (path) images.push({ path, label: key, kind: 'face', marks: marks?.image ?? [] });
  }
  // A cropped document is easier to read than the photograph, so it comes first.
  return images.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ path }: CaseImage): number {
  return path.endsWith('/cropped') ? 0 : 1;
}

/** A face names its image in a member whose name differs between releases. */
function pathIn(face: Record<string, unknown>): string | undefined {
  for (const value of Object.values(face)) {
    if (typeof value === 'string' && value.startsWith('faces/')) return value;
    if (typeof value === 'object' && value !== null) {
      const path = pathIn(value as Record<string, unknown>);
      if (path) return path;
    }
  }
  return undefined;
}

function useImage(instanceRef: InstanceRef, path: string) {
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'image', instanceRef.processInstanceId, path],
    queryFn: () => callForBlob('userData', 'getItem', { params: instanceRef, query: { path } }, 'image/*'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  const [url, setUrl] = useState<string>();
  const { data } = query;
  // In the sandbox, a JSON document may stand in for an image.
  const isImage = data?.type.startsWith('image/') === true;
  useEffect(() => {
    if (!data || !isImage) return;
    const objectUrl = URL.createObjectURL(data);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [data, isImage]);
  return { url, isError: query.isError, isSample: data !== undefined && !isImage };
}

type PictureProps = { instanceRef: InstanceRef; image: CaseImage; turn?: number; zoom?: number; isMarked?: boolean };

function Picture({ instanceRef, image, turn = 0, zoom, isMarked = false }: PictureProps) {
  const { url, isError, isSample } = useImage(instanceRef, image.path);
  if (isSample) return <Sample image={image} />;
  if (isError) return <Text c="dimmed">{image.label}</Text>;
  if (!url) return <Waiting />;
  if (!zoom) return <img src={url} alt={image.label} draggable={false} />;
  return (
    <div className={`picture turn-${turn}`} style={{ width: `${zoom * 100}%` }}>
      <img src={url} alt={image.label} draggable={false} />
      {isMarked && <Marks marks={image.marks} />}
    </div>
  );
}

/** Shown instead of a picture if the sandbox has a JSON document. */
function Sample({ image: { kind, label } }: { image: CaseImage }) {
  const t = useT();
  const isCard = kind === 'document';
  return (
    <svg viewBox={isCard ? '0 0 172 108' : '0 0 96 120'} className="sample" role="img" aria-label={label}>
      <rect width="100%" height="100%" rx="6" fill={isCard ? '#dfe9f2' : '#b9c9c2'} />
      <g transform={isCard ? 'translate(8 26) scale(0.5)' : 'translate(3 24)'}>
        {isCard && <rect width="90" height="116" fill="#fff" />}
        <circle cx="45" cy="42" r="22" fill="#c68863" />
        <path d="M8 116a37 42 0 0 1 74 0z" fill="#31504a" />
      </g>
      {isCard && <path d="M64 34h70M64 48h52M64 62h60M8 96h150" stroke="#5d7383" strokeWidth="4" />}
      <text x="50%" y="16" fontSize="10" textAnchor="middle" fill="#20303a">
        {t('case.sample')}
      </text>
    </svg>
  );
}

/** Draws what the image analysis found over the picture. */
function Marks({ marks }: { marks: readonly Mark[] }) {
  return (
    <svg className="marks" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      {marks.map(({ kind, points }) =>
        kind === 'landmarks' ? (
          <path key={`${kind}${points[0]}`} className="mark-landmarks" d={dotsOf(points)} />
        ) : (
          <polygon key={`${kind}${points[1]}`} className={`mark-${kind}`} points={points.join(' ')} />
        ),
      )}
    </svg>
  );
}

/** Dots are lines of no length with round ends: their size stays the same when the picture is stretched. */
function dotsOf(points: readonly number[]): string {
  let path = '';
  for (let at = 0; at + 1 < points.length; at += 2) path += `M${points[at]} ${points[at + 1]}h0`;
  return path;
}

function Watermark() {
  const t = useT();
  const { operator } = useSession();
  return <div className="watermark">{t('case.watermark', { name: operator.name })}</div>;
}

const ZOOMS = [1, 1.5, 2, 3, 4, 6, 8];

/** An enlarged image scrolls in its frame by mouse, finger or keyboard. */
export function Images({ instanceRef, images }: { instanceRef: InstanceRef; images: readonly CaseImage[] }) {
  const t = useT();
  const [at, setAt] = useState(0);
  const [turn, setTurn] = useState(0);
  const [zoom, setZoom] = useState(0);
  const [isMarked, setMarked] = useState(true);
  const currentImage = images[Math.min(at, images.length - 1)];
  if (!currentImage) return <Text c="dimmed">{t('case.noImages')}</Text>;
  const reset = () => {
    setTurn(0);
    setZoom(0);
  };
  const buttons = [
    { label: t('case.zoomIn'), isOff: zoom === ZOOMS.length - 1, act: () => setZoom(zoom + 1) },
    { label: t('case.zoomOut'), isOff: zoom === 0, act: () => setZoom(zoom - 1) },
    { label: t('case.rotate'), isOff: false, act: () => setTurn((turn + 1) % 4) },
    { label: t('case.reset'), isOff: zoom === 0 && turn === 0, act: reset },
  ];
  return (
    <Stack gap="xs">
      <div className="viewer">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
        <section className="viewer-inner" tabIndex={0} aria-label={currentImage.label}>
          <Picture
            instanceRef={instanceRef}
            image={currentImage}
            turn={turn}
            zoom={ZOOMS[zoom] ?? 1}
            isMarked={isMarked}
          />
        </section>
        <Watermark />
      </div>
      <Group gap={4}>
        {buttons.map(({ label, isOff, act }) => (
          <Button key={label} size="compact-xs" variant="default" disabled={isOff} onClick={act}>
            {label}
          </Button>
        ))}
        {currentImage.marks.length > 0 && (
          <Switch
            size="xs"
            checked={isMarked}
            onChange={(event) => setMarked(event.currentTarget.checked)}
            label={t('case.marks')}
          />
        )}
      </Group>
      <Group gap="xs">
        {images.map((image, index) => (
          <button
            type="button"
            key={image.path}
            className="thumb"
            aria-pressed={image.path === currentImage.path}
            onClick={() => {
              setAt(index);
              reset();
            }}
          >
            <Picture instanceRef={instanceRef} image={image} />
          </button>
        ))}
      </Group>
    </Stack>
  );
}

/** Shows the face of the document beside the selfie. */
export function Faces({ instanceRef, images }: { instanceRef: InstanceRef; images: readonly CaseImage[] }) {
  const t = useT();
  const portrait = images.find(({ kind }) => kind === 'portrait');
  const face = images.find(({ kind }) => kind === 'face');
  if (!portrait || !face) return null;
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        {t('case.compare')}
      </Title>
      <div className="viewer">
        <div className="faces">
          <Picture instanceRef={instanceRef} image={portrait} />
          <Picture instanceRef={instanceRef} image={face} />
        </div>
        <Watermark />
      </div>
    </section>
  );
}
