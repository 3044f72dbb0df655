import { useRef, useState } from 'preact/hooks';
import type { Translate } from '../../i18n/translate.ts';
import { CameraStage } from '../camera-stage.tsx';
import { noHintYet, paceHint } from '../hint-pace.ts';
import type { CaptureIconName } from '../icons.tsx';
import { LiveHint } from '../live-hint.tsx';
import { fitWithin, frameWithin } from '../picture/geometry.ts';
import type { Picture } from '../picture/picture.ts';
import { Shutter } from '../shutter.tsx';
import type { Camera } from '../use-camera.ts';
import { regionOf, useLooks, type VideoFrame } from '../use-looks.ts';
import { type How, useShutter } from '../use-shutter.ts';
import type { CardGuide } from './card-finder.ts';
import { CardOutline } from './card-outline.tsx';
import type { CardHint } from './judge-card.ts';
import type { Quad } from './quad.ts';
import { noCardYet, watchCard } from './watch-card.ts';

export type CardKind = 'card' | 'passport';

/** The photograph of one side, and a thumbnail by which that side is recognised. */
export type CardShot = { picture: Picture; thumbnail: Float32Array | undefined; how: How };

type CardCameraProps = {
  t: Translate;
  camera: Camera;
  /** `undefined` while it loads, `null` if the browser has none: then there is only the button. */
  guide: CardGuide | null | undefined;
  kind: CardKind;
  side: 'front' | 'back';
  /** The thumbnail of the other side, if that was photographed before. */
  otherSide: Float32Array | undefined;
  shutterAtOnce: boolean;
  onShot(shot: CardShot): void;
  /** Called after each look, for measurements. */
  onLook?: (() => void) | undefined;
};

const RATIOS: Readonly<Record<CardKind, number>> = { card: 1.586, passport: 1.42 };
/** Corners and sharpness are found at this size; a larger one only takes longer to copy. */
const LOOK_EDGE = 480;

const ICONS: Readonly<Record<CardHint, CaptureIconName>> = {
  noDocument: 'place',
  turnOver: 'turn',
  closer: 'closer',
  back: 'back',
  turn: 'turn',
  flat: 'flat',
  dark: 'light',
  bright: 'light',
  glare: 'glare',
  blurred: 'blur',
  hold: 'hold',
};

type CardView = { quad: Quad | null; empty: boolean; good: boolean; progress: number };
const NOTHING: CardView = { quad: null, empty: true, good: false, progress: 0 };

export function CardCamera(props: CardCameraProps) {
  const { t, camera, kind, side, otherSide, shutterAtOnce, onShot, onLook } = props;
  const [broken, setBroken] = useState(false);
  const [pace, setPace] = useState(noHintYet<CardHint>());
  const [cardView, setCardView] = useState<CardView>(NOTHING);
  const watch = useRef(noCardYet);
  const thumbnail = useRef<Float32Array | undefined>(undefined);
  const { video, running } = camera;
  const guide = broken ? null : props.guide;

  const { late, taking, busy, take } = useShutter(camera, shutterAtOnce, (picture, how) =>
    onShot({ picture, thumbnail: thumbnail.current, how }),
  );

  const look = async ({ pixels, at }: VideoFrame) => {
    if (!guide || busy.current) return;
    const frame = frameWithin(pixels, RATIOS[kind]);
    const verdict = watchCard(watch.current, await guide.look({ pixels, frame, at }), otherSide);
    watch.current = verdict.watch;
    onLook?.();
    thumbnail.current = verdict.thumbnail ?? thumbnail.current;
    const { hint, outline: quad, progress } = verdict;
    setCardView({ quad, empty: hint === 'noDocument', good: hint === 'hold', progress });
    setPace((before) => paceHint(before, hint, performance.now()));
    if (verdict.capture) await take('auto');
  };
  // Without guidance, the button is still there.
  useLooks(video, running && Boolean(guide) && !taking, look, () => setBroken(true), LOOK_EDGE);

  const element = video.current;
  const picture = element && running ? fitWithin(regionOf(element), LOOK_EDGE) : undefined;
  const guided = guide !== null;
  return (
    <>
      <CameraStage t={t} camera={camera} shape="card" mirrored={false}>
        {picture && (
          <CardOutline
            picture={picture}
            frame={frameWithin(picture, RATIOS[kind])}
            kind={kind}
            side={side}
            {...cardView}
          />
        )}
        {taking && <div class="stage-taken" />}
        {guided && <LiveHint t={t} pace={pace} area="hint.card" icons={ICONS} good={cardView.good} />}
      </CameraStage>
      <div class="shutter-place">
        {running && (late || !guided) && !taking ? (
          <Shutter t={t} onPress={() => void take('manual')} />
        ) : (
          <p class="note centred">{t(guided ? 'capture.automatic' : 'capture.noGuide')}</p>
        )}
      </div>
    </>
  );
}
