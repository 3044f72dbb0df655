import { useState } from 'preact/hooks';
import type { StepProps } from '../../steps/step.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Again } from '../../ui/illustrations.tsx';
import { Title } from '../../ui/title.tsx';
import { CameraTrouble } from '../camera-trouble.tsx';
import { Progress } from '../check-picture.tsx';
import { hintsOf } from '../document/capture-side.tsx';
import { FaultNote } from '../fault-note.tsx';
import { SelfieFigure } from '../figures.tsx';
import type { PictureHints } from '../hints.ts';
import { OtherWays, type Ways } from '../other-ways.tsx';
import { Primer } from '../primer.tsx';
import { useCamera } from '../use-camera.ts';
import type { Sending } from '../use-sending.ts';
import { ChallengeCamera } from './challenge-camera.tsx';
import type { ChallengeEnds, ChallengeShots } from './challenge-run.ts';
import type { FaceFinder } from './face-finder.ts';
import { SelfieCamera } from './selfie-camera.tsx';

/** The screens of a selfie, one after the other. "I can't do this" is on each of them. */
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
  onShot(shot: Shot): void;
  onShots(shots: ChallengeShots, hints: PictureHints): void;
} & Pick<ChallengeEnds, 'onChosen' | 'onTimeout' | 'onError'>;

export function LiveFace(props: LiveFaceProps) {
  const { t, language, step, api, finder, active, shutter, ways } = props;
  const { onShot, onShots, onChosen, onTimeout, onError } = props;
  const camera = useCamera('user');
  const [started] = useState(() => performance.now());
  if (camera.state.phase === 'fault') {
    return <CameraTrouble t={t} fault={camera.state.fault} ways={ways} onAgain={camera.again} />;
  }
  const hints = (size: { width: number; height: number }, how: 'auto' | 'manual') =>
    hintsOf(camera, size, how, performance.now() - started);
  return (
    <>
      <Title>{t('face.title')}</Title>
      {active ? (
        <ChallengeCamera
          t={t}
          language={language}
          camera={camera}
          finder={finder}
          create={() => api.createChallenge(step.id)}
          onChosen={onChosen}
          onDone={(shots) => onShots(shots, hints(shots.image, 'auto'))}
          onTimeout={onTimeout}
          onError={onError}
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

type SendingFaceProps = { t: StepProps['t']; sending: Sending; ways: Ways; onAgain(): void };

export function SendingFace({ t, sending: { share, error }, ways, onAgain }: SendingFaceProps) {
  return (
    <>
      <SelfieFigure moving={false} />
      <Title>{t('face.sending')}</Title>
      <div aria-live="polite">{share !== undefined && <Progress t={t} share={share} />}</div>
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

export function TimedOut({ t, ways, onAgain }: { t: StepProps['t']; ways: Ways; onAgain(): void }) {
  return (
    <>
      <Again />
      <Title>{t('challenge.timeout')}</Title>
      <p class="lead">{t('challenge.timeout.text')}</p>
      <div class="actions">
        <Button kind="primary" onPress={onAgain}>
          {t('camera.again')}
        </Button>
        <OtherWays t={t} ways={ways} />
      </div>
    </>
  );
}
