import { useEffect, useRef, useState } from 'preact/hooks';
import type { StepProps } from '../../steps/step.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Again } from '../../ui/illustrations.tsx';
import { Title } from '../../ui/title.tsx';
import { signalsOf, watchFrames } from '../camera/camera-signals.ts';
import { CameraTrouble } from '../camera-trouble.tsx';
import { hintsOf } from '../document/capture-side.tsx';
import { FaultNote } from '../fault-note.tsx';
import { SelfieFigure } from '../figures.tsx';
import type { PictureHints } from '../hints.ts';
import { OtherWays, type Ways } from '../other-ways.tsx';
import { Primer } from '../primer.tsx';
import { type Camera, useCamera } from '../use-camera.ts';
import type { Sending } from '../use-sending.ts';
import { ChallengeCamera } from './challenge-camera.tsx';
import type { FaceFinder } from './face-finder.ts';
import { ENDINGS, type EndReason, type Omission } from './instruction.ts';
import { SelfieCamera } from './selfie-camera.tsx';
import type { ChallengeOptions } from './use-challenge.ts';

/** The screens of a selfie, one after the other. Each of them has "I can't do this". */
export type Shot = { blob: Blob; hints: PictureHints };

type FacePrimerProps = Pick<StepProps, 't' | 'step'> & {
  active: boolean;
  error: unknown;
  ways: Ways;
  onOpen(click: { detail: number }): void;
};

export function FacePrimer({ t, step, active, error, ways, onOpen }: FacePrimerProps) {
  return (
    <Primer
      t={t}
      figure={<SelfieFigure moving={active} />}
      title={t('face.title')}
      lead={active ? t('face.active') : undefined}
      again={step.fault !== undefined}
      note={
        <>
          <FaultNote t={t} step={step} kind="face" />
          <ErrorNote t={t} error={error} />
        </>
      }
      tips={[
        { icon: 'light', text: t('face.tip.light') },
        { icon: 'face', text: t('face.tip.bare') },
        { icon: 'target', text: t('face.tip.alone') },
      ]}
      ways={ways}
      onOpen={onOpen}
    />
  );
}

type LiveFaceProps = StepProps & {
  finder: FaceFinder | null | undefined;
  active: boolean;
  shutter: boolean;
  ways: Ways;
  omit: readonly Omission[];
  onOmit(omission: Omission): void;
  onShot(shot: Shot): void;
  /** Called when all movements were recognised. */
  onAnswered(challengeId: string, hints: PictureHints): void;
} & Pick<ChallengeOptions, 'onEnded' | 'onError'>;

export function LiveFace(props: LiveFaceProps) {
  const { t, language, api, finder, active, shutter, ways, omit } = props;
  const { onOmit, onShot, onAnswered, onEnded, onError } = props;
  const camera = useCamera('user');
  const [startedAt] = useState(() => performance.now());
  const signals = useSignals(camera);
  if (camera.state.phase === 'fault') {
    return <CameraTrouble t={t} fault={camera.state.fault} ways={ways} onAgain={camera.again} />;
  }
  const hints = (size: { width: number; height: number }, how: 'auto' | 'manual') => ({
    ...hintsOf(camera, size, how, performance.now() - startedAt),
    ...signals(),
  });
  const { videoWidth: width = 0, videoHeight: height = 0 } = camera.video.current ?? {};
  return (
    <>
      <Title>{t('face.title')}</Title>
      {active ? (
        <ChallengeCamera
          t={t}
          language={language}
          camera={camera}
          finder={finder}
          api={api}
          omit={omit}
          onOmit={onOmit}
          onEnded={onEnded}
          onError={onError}
          onDone={(challengeId) => onAnswered(challengeId, hints({ width, height }, 'auto'))}
        />
      ) : (
        <SelfieCamera
          t={t}
          camera={camera}
          finder={finder}
          shutterAtOnce={shutter}
          onShot={(picture, how) => onShot({ blob: picture.blob, hints: hints(picture, how) })}
        />
      )}
      <div class="actions">
        <OtherWays t={t} ways={{ onPhone: ways.onPhone, onUnable: ways.onUnable }} />
      </div>
    </>
  );
}

/** Watches the frames of the camera. The returned function tells the signals so far. */
function useSignals({ state, video, running }: Camera) {
  const times = useRef<readonly number[]>([]);
  useEffect(() => {
    if (!running || !video.current) return;
    const stop = new AbortController();
    times.current = watchFrames(video.current, stop.signal);
    return () => stop.abort();
  }, [running, video]);
  return () => (state.phase === 'open' ? signalsOf(state.camera, times.current) : {});
}

type SendingFaceProps = { t: StepProps['t']; sending: Sending; ways: Ways; onAgain(): void };

export function SendingFace({ t, sending: { share, error }, ways, onAgain }: SendingFaceProps) {
  return (
    <>
      <SelfieFigure moving={false} />
      <Title>{t('face.sending')}</Title>
      {share !== undefined && <span class="spinner" aria-hidden="true" />}
      <ErrorNote t={t} error={error} />
      <div class="actions">
        {error !== undefined && (
          <Button kind="primary" onPress={onAgain}>
            {t('camera.again')}
          </Button>
        )}
        <OtherWays t={t} ways={{ onUnable: ways.onUnable }} />
      </div>
    </>
  );
}

type ChallengeEndedProps = { t: StepProps['t']; reason: EndReason; ways: Ways; onAgain(): void };

export function ChallengeEnded({ t, reason, ways, onAgain }: ChallengeEndedProps) {
  return (
    <>
      <Again />
      <Title>{t('challenge.ended')}</Title>
      <p class="lead">{t(ENDINGS[reason])}</p>
      <div class="actions">
        <Button kind="primary" onPress={onAgain}>
          {t('camera.again')}
        </Button>
        <OtherWays t={t} ways={{ ...ways, onPerson: ways.onUnable }} />
      </div>
    </>
  );
}

/** Shown when the attempt has used all its challenges. */
export function NoMoreChallenges({ t, ways: { onUnable = () => undefined } }: { t: StepProps['t']; ways: Ways }) {
  return (
    <>
      <Again />
      <Title>{t('challenge.noMore')}</Title>
      <p class="lead">{t('challenge.noMore.text')}</p>
      <div class="actions">
        <Button kind="primary" onPress={onUnable}>
          {t('camera.person')}
        </Button>
      </div>
    </>
  );
}
