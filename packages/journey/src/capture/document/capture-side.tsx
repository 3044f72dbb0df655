import { useState } from 'preact/hooks';
import type { StepProps } from '../../steps/step.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Title } from '../../ui/title.tsx';
import { isVirtual, labelToSend } from '../camera/choose-lens.ts';
import { CameraTrouble } from '../camera-trouble.tsx';
import { CheckPicture } from '../check-picture.tsx';
import { FaultNote } from '../fault-note.tsx';
import { CardFigure } from '../figures.tsx';
import type { PictureHints } from '../hints.ts';
import { appAround, InApp } from '../in-app.tsx';
import { isComputer, OtherWays, type Ways } from '../other-ways.tsx';
import type { Picture } from '../picture/picture.ts';
import { Primer } from '../primer.tsx';
import { wantsShutter } from '../shutter.tsx';
import { type Camera, useCamera } from '../use-camera.ts';
import { type Sending, useSending } from '../use-sending.ts';
import { CardCamera, type CardShot } from './card-camera.tsx';
import type { CardGuide } from './card-finder.ts';
import { kindOf, type Side } from './plan-sides.ts';

/** One side, ready to be sent. */
export type SideTaken = { blob: Blob; thumbnail: Float32Array | undefined; hints: PictureHints };

type CaptureSideProps = StepProps & {
  side: Side;
  documentType: string;
  requireLiveCapture: boolean;
  otherSide: Float32Array | undefined;
  guide: CardGuide | null | undefined;
  sample: Blob;
  onTaken(taken: SideTaken, onProgress: (share: number) => void): Promise<void>;
  /** To choose another document. */
  onOther?: (() => void) | undefined;
};

type View = { at: 'primer' } | { at: 'camera'; shutter: boolean } | { at: 'check'; taken: SideTaken };

export function CaptureSide(props: CaptureSideProps) {
  const { t, step, side, documentType, onTaken } = props;
  const [view, setView] = useState<View>(
    side === 'back' && props.otherSide ? { at: 'camera', shutter: false } : { at: 'primer' },
  );
  const [stays, setStays] = useState(false);
  const sending = useSending();
  const app = stays ? undefined : appAround(navigator.userAgent);

  const send = (taken: SideTaken) => sending.attempt(() => onTaken(taken, sending.setShare));
  const ways = waysOf(props, sending, send, (taken) => setView({ at: 'check', taken }));
  if (app !== undefined) {
    return <InApp t={t} app={app} offer={props.api.offerHandoff} ways={ways} onStay={() => setStays(true)} />;
  }
  if (view.at === 'check') {
    return (
      <CheckPicture
        t={t}
        blob={view.taken.blob}
        kind="card"
        sending={sending}
        onUse={() => void send(view.taken)}
        onRetake={() => setView({ at: 'camera', shutter: false })}
      />
    );
  }
  if (view.at === 'camera') {
    return (
      <LiveSide {...props} ways={ways} shutter={view.shutter} onShot={(taken) => setView({ at: 'check', taken })} />
    );
  }
  return (
    <Primer
      t={t}
      figure={<CardFigure kind={kindOf(documentType)} side={side} />}
      title={t(`document.${side}.${documentType}`)}
      note={
        <>
          <FaultNote t={t} step={step} kind="card" />
          <ErrorNote t={t} error={sending.error} />
        </>
      }
      tips={[
        { icon: 'document', text: t('document.tip.whole') },
        { icon: 'light', text: t('document.tip.light') },
        { icon: 'shield', text: t('document.tip.check') },
      ]}
      ways={ways}
      onOther={props.onOther}
      onOpen={(click) => setView({ at: 'camera', shutter: wantsShutter(click) })}
    />
  );
}

/** What there is beside the camera here. A sample needs no second look, so it is sent at once. */
function waysOf(
  { t, journey, handOff, unable, requireLiveCapture, sample, documentType }: CaptureSideProps,
  sending: Sending,
  send: (taken: SideTaken) => Promise<void>,
  check: (taken: SideTaken) => void,
): Ways {
  const fromFile = ({ blob, width, height }: Picture) =>
    check({ blob, thumbnail: undefined, hints: { source: 'file', width, height } });
  return {
    onFile: requireLiveCapture ? undefined : fromFile,
    onPhone: isComputer() ? handOff : undefined,
    sample:
      journey.environment === 'test'
        ? {
            label: t(documentType === 'PASSPORT' ? 'sample.passport' : 'sample.document'),
            busy: sending.share !== undefined,
            use: () => void send({ blob: sample, thumbnail: undefined, hints: { source: 'sample' } }),
          }
        : undefined,
    onUnable: unable,
  };
}

type LiveSideProps = CaptureSideProps & { ways: Ways; shutter: boolean; onShot(taken: SideTaken): void };

function LiveSide({ t, side, documentType, otherSide, guide, ways, shutter, onShot }: LiveSideProps) {
  const camera = useCamera('environment');
  const [started] = useState(() => performance.now());
  if (camera.state.phase === 'fault') {
    return <CameraTrouble t={t} fault={camera.state.fault} ways={ways} onAgain={camera.again} />;
  }
  const take = ({ picture, thumbnail, how }: CardShot) =>
    onShot({ blob: picture.blob, thumbnail, hints: hintsOf(camera, picture, how, performance.now() - started) });
  return (
    <>
      <Title>{t(`document.${side}.${documentType}`)}</Title>
      <CardCamera
        t={t}
        camera={camera}
        guide={guide}
        kind={kindOf(documentType)}
        side={side}
        otherSide={otherSide}
        shutterAtOnce={shutter}
        onShot={take}
      />
      <div class="actions">
        <OtherWays t={t} ways={{ onFile: ways.onFile, onPhone: ways.onPhone }} />
      </div>
    </>
  );
}

export function hintsOf(
  { state, torch }: Camera,
  { width, height }: { width: number; height: number },
  source: PictureHints['source'],
  milliseconds: number,
): PictureHints {
  const label = state.phase === 'open' ? state.camera.lens.label : '';
  return {
    ...{ source, cameraLabel: labelToSend(label), virtualCamera: isVirtual(label), torch, width, height },
    milliseconds: Math.round(milliseconds),
  };
}
