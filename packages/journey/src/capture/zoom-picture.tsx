import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { CaptureIcon, type CaptureIconName } from './icons.tsx';
import type { Size } from './picture/geometry.ts';
import { scaleOfKey, WHOLE, ZOOM, type Zoom, zoomTo } from './picture/zoom.ts';
import { type Point, pointOf, useHands } from './use-hands.ts';
import { useZoomRoom } from './use-zoom-room.ts';

/** A photograph that can be enlarged: by buttons, by keys, with two fingers, or by a double tap. */
type ZoomPictureProps = { t: Translate; blob: Blob; label: string };

export function ZoomPicture({ t, blob, label }: ZoomPictureProps) {
  const room = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState<Zoom>(WHOLE);
  const address = useAddress(blob);
  const { size, onLoad } = useZoomRoom(room);

  const change = (scale: number, point = centreOf(room.current)) => {
    if (!size) return;
    const layout = { picture: size, room: sizeOf(room.current) };
    setZoom(({ scale: before }) => zoomTo({ scale: before, ...placeOf(room.current) }, scale, point, layout));
  };
  useHands(room, zoom.scale, change);
  // The picture has its new size by now, so it can be scrolled to its position.
  useLayoutEffect(() => {
    if (room.current) Object.assign(room.current, { scrollLeft: zoom.left, scrollTop: zoom.top });
  }, [zoom]);

  const { scale } = zoom;
  return (
    <div class="shot-frame">
      <section
        ref={room}
        // Scroll positions count from the left in every language.
        dir="ltr"
        class="shot"
        aria-label={t('check.closely')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it with the arrows.
        tabIndex={0}
        data-scale={Math.round(scale * 100)}
        style={size && { height: `${size.height}px` }}
        onKeyDown={(event) => {
          const wantedScale = event.ctrlKey || event.metaKey || event.altKey ? undefined : scaleOfKey(event.key, scale);
          if (wantedScale === undefined) return;
          event.preventDefault();
          change(wantedScale);
        }}
        onDblClick={(event) => change(scale > ZOOM.least ? ZOOM.least : ZOOM.doubleTap, pointOf(room.current, event))}
      >
        {address && (
          <img
            src={address}
            alt={label}
            draggable={false}
            onLoad={onLoad}
            style={size && { width: `${size.width * scale}px`, height: `${size.height * scale}px` }}
          />
        )}
      </section>
      <ZoomTools t={t} scale={scale} change={change} />
    </div>
  );
}

function ZoomTools({ t, scale, change }: { t: Translate; scale: number; change(scale: number): void }) {
  const isWhole = scale <= ZOOM.least;
  return (
    <div class="shot-tools">
      <ZoomButton
        icon="zoomOut"
        label={t('check.smaller')}
        disabled={isWhole}
        onPress={() => change(scale / ZOOM.step)}
      />
      <output aria-live="polite">{t('check.scale', { percent: Math.round(scale * 100) })}</output>
      <ZoomButton
        icon="zoom"
        label={t('check.zoom')}
        disabled={scale >= ZOOM.most}
        onPress={() => change(scale * ZOOM.step)}
      />
      <ZoomButton icon="whole" label={t('check.whole')} disabled={isWhole} onPress={() => change(ZOOM.least)} />
    </div>
  );
}

type ZoomButtonProps = { icon: CaptureIconName; label: string; disabled: boolean; onPress(): void };

/** A button without use stays, and says so: if it were removed, it would lose the focus. */
function ZoomButton({ icon, label, disabled, onPress }: ZoomButtonProps) {
  return (
    <button
      type="button"
      class="shot-tool"
      aria-label={label}
      title={label}
      aria-disabled={disabled}
      onClick={() => !disabled && onPress()}
    >
      <CaptureIcon name={icon} />
    </button>
  );
}

function useAddress(blob: Blob): string {
  const [address, setAddress] = useState('');
  useEffect(() => {
    const objectUrl = URL.createObjectURL(blob);
    setAddress(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [blob]);
  return address;
}

function centreOf(room: HTMLElement | null): Point {
  return { x: (room?.clientWidth ?? 0) / 2, y: (room?.clientHeight ?? 0) / 2 };
}

function sizeOf(room: HTMLElement | null): Size {
  return { width: room?.clientWidth ?? 0, height: room?.clientHeight ?? 0 };
}

function placeOf(room: HTMLElement | null): { left: number; top: number } {
  return { left: room?.scrollLeft ?? 0, top: room?.scrollTop ?? 0 };
}
