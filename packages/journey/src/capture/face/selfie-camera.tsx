import { useRef, useState } from 'preact/hooks';
import type { Translate } from '../../i18n/translate.ts';
import { CameraStage } from '../camera-stage.tsx';
import { noHintYet, paceHint } from '../hint-pace.ts';
import { LiveHint } from '../live-hint.tsx';
import type { Picture } from '../picture/picture.ts';
import { Shutter } from '../shutter.tsx';
import type { Camera } from '../use-camera.ts';
import { useLooks, type VideoFrame } from '../use-looks.ts';
import { type How, useShutter } from '../use-shutter.ts';
import type { FaceFinder } from './face-finder.ts';
import { FACE_ICONS } from './face-icons.ts';
import { FaceOval } from './face-oval.tsx';
import { type FaceHint, judgeFace, OVAL, STEADY_FACE_LOOKS } from './judge-face.ts';

/** Takes one good picture of a face that looks ahead. */
type SelfieCameraProps = {
  t: Translate;
  camera: Camera;
  finder: FaceFinder | null | undefined;
  shutterAtOnce: boolean;
  onShot(picture: Picture, how: How): void;
  /** Called after each look, for measurements. */
  onLook?: (() => void) | undefined;
};

const LOOK_EDGE = 480;

export function SelfieCamera(props: SelfieCameraProps) {
  const { t, camera, shutterAtOnce, onShot, onLook } = props;
  const [broken, setBroken] = useState(false);
  const [pace, setPace] = useState(noHintYet<FaceHint>());
  const [good, setGood] = useState(0);
  const steady = useRef(0);
  const { video, running } = camera;
  const finder = broken ? null : props.finder;
  const guided = finder !== null;

  const { late, taking, busy, take } = useShutter(camera, shutterAtOnce, onShot);

  const look = async ({ pixels, at }: VideoFrame) => {
    if (!finder || busy.current) return;
    const hint = judgeFace({ at, ...(await finder.find(pixels)) }, OVAL);
    onLook?.();
    steady.current = hint === null ? steady.current + 1 : 0;
    setGood(steady.current / STEADY_FACE_LOOKS);
    setPace((before) => paceHint(before, hint ?? 'hold', performance.now()));
    if (steady.current >= STEADY_FACE_LOOKS) await take('auto');
  };
  useLooks(video, running && Boolean(finder) && !taking, look, () => setBroken(true), LOOK_EDGE);

  return (
    <>
      <CameraStage t={t} camera={camera} shape="face" mirrored>
        <FaceOval good={good > 0} progress={good} />
        {taking && <div class="stage-taken" />}
        {guided && <LiveHint t={t} pace={pace} area="hint.face" icons={FACE_ICONS} good={good > 0} />}
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
