import { useState } from 'preact/hooks';
import { useBack } from '../../back-stack.ts';
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
import { OpeningFile } from '../opening-file.tsx';
import { isComputer, type More, MoreWays, OtherWays, type Ways } from '../other-ways.tsx';
import { type ChosenFile, PDF_TYPE } from '../picture/picture.ts';
import { PoorPicture } from '../poor-picture.tsx';
import { Primer } from '../primer.tsx';
import { wantsShutter } from '../shutter.tsx';
import { type Camera, useCamera } from '../use-camera.ts';
import { type Sending, useSending } from '../use-sending.ts';
import { CardCamera, type CardShot } from './card-camera.tsx';
import type { CardGuide } from './card-finder.ts';
import { kindOf, type Side } from './plan-sides.ts';

/** The photograph of one side, ready to be used. */
export type SideTaken = {
  blob: Blob;
  thumbnail: Float32Array | undefined;
  hints: PictureHints;
  /** Set if the server already has the photograph. */
  arrived?: true;
};

type CaptureSideProps = StepProps & {
  side: Side;
  documentType: string;
  requireLiveCapture: boolean;
  otherSide: Float32Array | undefined;
  guide: CardGuide | null | undefined;
  sample: Blob;
  onTaken(picture: SideTaken, onProgress: (share: number) => void): Promise<void>;
  /** Takes the photographs of the earlier sides again. */
  onAll?: (() => void) | undefined;
  /** Chooses another document. */
  onOther?: (() => void) | undefined;
};

type View =
  | { at: 'primer' }
  | { at: 'poor' }
  | { at: 'camera'; shutter: boolean }
  | { at: 'opening'; file: Blob }
  | { at: 'check'; taken: SideTaken };

export function CaptureSide(props: CaptureSideProps) {
  const { t, side, onTaken } = props;
  const [view, setView] = useState<View>(firstView(props));
  const [stays, setStays] = useState(false);
  const sending = useSending();
  const app = stays ? undefined : appAround(navigator.userAgent);

  const send = (picture: SideTaken) => sending.attempt(() => onTaken(picture, sending.setShare));
  const check = (picture: SideTaken) => setView({ at: 'check', taken: picture });
  const open = (file: Blob) => {
    setView({ at: 'opening', file });
    void sending.attempt(async () => check(await openPdf(props, file, sending.setShare)));
  };
  const choose = ({ blob, ...size }: ChosenFile) => {
    if (blob.type === PDF_TYPE) return open(blob);
    check({ blob, thumbnail: undefined, hints: { source: 'file', width: size.width ?? 0, height: size.height ?? 0 } });
  };
  const ways = waysOf(props, sending, send, choose);
  const toCamera = (click?: { detail: number }) => setView({ at: 'camera', shutter: wantsShutter(click) });
  const toPrimer = () => setView({ at: 'primer' });
  const wasTaken = view.at === 'check' && !isChosen(view.taken);
  const isFirst = view.at === 'primer' || view.at === 'poor';
  useBack(isFirst || sending.share !== undefined ? undefined : wasTaken ? () => toCamera() : toPrimer, 'capture');

  if (app !== undefined) {
    return <InApp t={t} app={app} offer={props.api.offerHandoff} ways={ways} onStay={() => setStays(true)} />;
  }
  switch (view.at) {
    case 'check':
      return (
        <CheckSide
          t={t}
          picture={view.taken}
          sending={sending}
          send={send}
          toPrimer={toPrimer}
          ways={ways}
          onRetake={() => toCamera()}
          {...other(props)}
        />
      );
    case 'opening':
      return <OpeningFile t={t} sending={sending} onAgain={() => open(view.file)} onBack={toPrimer} />;
    case 'camera':
      return <LiveSide {...props} {...other(props)} ways={ways} shutter={view.shutter} onShot={check} />;
    case 'poor':
      return <PoorPicture {...props} picture={side} ways={ways} onRetake={toCamera} />;
    default:
      return <SidePrimer {...props} ways={ways} error={sending.error} onOpen={toCamera} />;
  }
}

const isChosen = ({ hints: { source } }: SideTaken) => source === 'file' || source === 'pdf';

/** The way to another document, which every view offers. */
function other({ t, onOther }: Pick<CaptureSideProps, 't' | 'onOther'>): { more: More } {
  return { more: [{ label: t('document.other'), onPress: onOther }] };
}

/** Skips the introduction for an end user who has just turned the card over, or knows what was wrong. */
function firstView({ step, side, otherSide }: CaptureSideProps): View {
  if (step.mayUseAnyway && step.fault?.picture === side) return { at: 'poor' };
  return side === 'back' && otherSide ? { at: 'camera', shutter: false } : { at: 'primer' };
}

/** The server makes a picture of the PDF, and the end user sees it before it is used. */
async function openPdf(
  { api, side }: CaptureSideProps,
  file: Blob,
  onProgress: (share: number) => void,
): Promise<SideTaken> {
  const { pages = 1 } = await api.uploadImage(side, file, { onProgress });
  const blob = await api.seeImage(side);
  return { blob, thumbnail: undefined, hints: { source: 'pdf', pages }, arrived: true };
}

type CheckSideProps = {
  t: StepProps['t'];
  picture: SideTaken;
  sending: Sending;
  send(picture: SideTaken): Promise<void>;
  ways: Ways;
  more: More;
  toPrimer(): void;
  onRetake(): void;
};

function CheckSide({ t, picture, sending, send, ways, more, toPrimer, onRetake }: CheckSideProps) {
  const { pages = 1 } = picture.hints;
  const isFile = isChosen(picture);
  return (
    <CheckPicture
      t={t}
      blob={picture.blob}
      kind="card"
      sending={sending}
      note={pages > 1 ? t('file.pdf.pages', { pages }) : undefined}
      isFile={isFile}
      onUse={() => void send(picture)}
      onRetake={isFile ? toPrimer : onRetake}
      onUnable={ways.onUnable}
      more={more}
    />
  );
}

type SidePrimerProps = CaptureSideProps & { ways: Ways; error: unknown; onOpen(click: { detail: number }): void };

function SidePrimer(props: SidePrimerProps) {
  const { t, step, side, documentType, ways, error, onAll, onOther, onOpen } = props;
  const { picture = side } = step.fault ?? {};
  return (
    <Primer
      t={t}
      figure={<CardFigure kind={kindOf(documentType)} side={side} />}
      title={t(`document.${side}.${documentType}`)}
      again={step.fault !== undefined}
      note={
        <>
          {picture === side && <FaultNote t={t} step={step} kind="card" />}
          <ErrorNote t={t} error={error} />
        </>
      }
      tips={[
        { icon: 'document', text: t('document.tip.whole') },
        { icon: 'light', text: t('document.tip.light') },
        { icon: 'shield', text: t('document.tip.check') },
      ]}
      ways={ways}
      more={[{ label: t('document.all'), onPress: onAll }, ...other({ t, onOther }).more]}
      onOpen={onOpen}
    />
  );
}

/** The ways beside the camera. A sample needs no second look, so it is sent at once. */
function waysOf(
  { t, journey, handOff, unable, requireLiveCapture, sample, documentType }: CaptureSideProps,
  sending: Sending,
  send: (picture: SideTaken) => Promise<void>,
  choose: (file: ChosenFile) => void,
): Ways {
  return {
    onFile: requireLiveCapture ? undefined : choose,
    pdf: true,
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

type LiveSideProps = CaptureSideProps & { ways: Ways; more: More; shutter: boolean; onShot(picture: SideTaken): void };

function LiveSide(props: LiveSideProps) {
  const { t, side, documentType, otherSide, guide, ways, more, shutter, onShot } = props;
  const camera = useCamera('environment');
  const [startedAt] = useState(() => performance.now());
  if (camera.state.phase === 'fault') {
    return <CameraTrouble t={t} fault={camera.state.fault} ways={ways} onAgain={camera.again} />;
  }
  const take = ({ picture, thumbnail, how }: CardShot) =>
    onShot({ blob: picture.blob, thumbnail, hints: hintsOf(camera, picture, how, performance.now() - startedAt) });
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
        <OtherWays t={t} ways={{ onFile: ways.onFile, pdf: ways.pdf, onPhone: ways.onPhone }} />
        <MoreWays more={more} />
        <OtherWays t={t} ways={{ onUnable: ways.onUnable }} />
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
    source,
    cameraLabel: labelToSend(label),
    virtualCamera: isVirtual(label),
    torch,
    width,
    height,
    milliseconds: Math.round(milliseconds),
  };
}
