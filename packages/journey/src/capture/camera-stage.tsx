import type { ComponentChildren } from 'preact';
import type { Translate } from '../i18n/translate.ts';
import { CaptureIcon, type CaptureIconName } from './icons.tsx';
import type { Camera } from './use-camera.ts';

/** The camera's picture with what is drawn over it, and the buttons of the camera. */
type StageProps = {
  t: Translate;
  camera: Camera;
  shape: 'card' | 'face';
  /** Mirrors the picture, because people know their own face from mirrors. */
  mirrored: boolean;
  children?: ComponentChildren;
};

export function CameraStage({ t, camera, shape, mirrored, children }: StageProps) {
  const { state, video, running, torch } = camera;
  const open = state.phase === 'open' ? state.camera : undefined;
  return (
    <div class={`stage ${shape} ${mirrored ? 'mirrored' : ''}`}>
      <video ref={video} playsInline muted autoPlay aria-label={t('camera.picture')} />
      {running ? children : <Opening t={t} />}
      {running && open && (
        <div class="stage-tools">
          {open.lenses.length > 1 && <Tool icon="switch" label={t('camera.switch')} onPress={camera.switchLens} />}
          {open.hasTorch && (
            <Tool
              icon="torch"
              label={t(torch ? 'camera.torchOff' : 'camera.torchOn')}
              pressed={torch}
              onPress={() => camera.setTorch(!torch)}
            />
          )}
        </div>
      )}
    </div>
  );
}

function Opening({ t }: { t: Translate }) {
  return (
    <div class="stage-opening" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>{t('camera.opening')}</p>
    </div>
  );
}

type ToolProps = { icon: CaptureIconName; label: string; pressed?: boolean; onPress(): void };

function Tool({ icon, label, pressed, onPress }: ToolProps) {
  return (
    <button type="button" class="tool" aria-label={label} aria-pressed={pressed} onClick={onPress}>
      <CaptureIcon name={icon} />
    </button>
  );
}
