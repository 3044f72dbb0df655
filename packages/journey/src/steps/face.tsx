import { useState } from 'preact/hooks';
import '../capture/capture.css';
import { CheckPicture } from '../capture/check-picture.tsx';
import { FacePrimer, LiveFace, SendingFace, type Shot, TimedOut } from '../capture/face/face-screens.tsx';
import { sendAhead, sendShots } from '../capture/face/send-shots.ts';
import { useFaceFinder } from '../capture/face/use-face-finder.ts';
import { appAround, InApp } from '../capture/in-app.tsx';
import { isComputer, type Ways } from '../capture/other-ways.tsx';
import { sampleSelfie } from '../capture/sample.ts';
import { wantsShutter } from '../capture/shutter.tsx';
import { type Sending, useSending } from '../capture/use-sending.ts';
import { hashOf } from '../upload-once.ts';
import type { StepProps } from './step.ts';

type View =
  | { at: 'primer' }
  | { at: 'camera'; shutter: boolean }
  | { at: 'check'; shot: Shot }
  | { at: 'timeout' }
  | { at: 'sending'; send: () => Promise<void> };

/** After so many tries that failed, a person is offered beside the camera. */
const PERSON_AFTER = 2;

/** A selfie, with or without movements. */
export function FaceStep(props: StepProps) {
  return <Attempt key={props.step.attempt} {...props} />;
}

function Attempt(props: StepProps) {
  const { t, step, api, submit } = props;
  const active = step.settings.liveness === 'active';
  const finder = useFaceFinder();
  const [view, setView] = useState<View>({ at: 'primer' });
  const [stays, setStays] = useState(false);
  const [ahead] = useState(() => sendAhead(api));
  const sending = useSending();
  const app = stays ? undefined : appAround(navigator.userAgent);
  const send = async ({ blob, hints }: Shot) => {
    await api.uploadImage('image', blob, { onProgress: sending.setShare });
    const sha256 = await hashOf(blob);
    await submit({ hints: { ...hints, ...(sha256 && { sha256 }) } });
  };
  const ways = waysOf(props, sending, send, (shot) => setView({ at: 'check', shot }));
  const open = (shutter: boolean) => setView({ at: 'camera', shutter });

  if (app !== undefined) {
    return <InApp t={t} app={app} offer={api.offerHandoff} ways={ways} onStay={() => setStays(true)} />;
  }
  switch (view.at) {
    case 'check':
      return (
        <CheckPicture
          t={t}
          blob={view.shot.blob}
          kind="face"
          sending={sending}
          onUse={() => void sending.attempt(() => send(view.shot))}
          onRetake={() => open(false)}
          onUnable={props.unable}
        />
      );
    case 'camera':
      return (
        <LiveFace
          {...{ ...props, finder, active, shutter: view.shutter, ways }}
          onShot={(shot) => setView({ at: 'check', shot })}
          onChosen={ahead}
          onTimeout={() => setView({ at: 'timeout' })}
          onError={(error) => {
            sending.setError(error);
            setView({ at: 'primer' });
          }}
          onShots={(shots, hints) => {
            const sendAll = async () => submit({ ...(await sendShots(api, shots, sending.setShare)), hints });
            setView({ at: 'sending', send: sendAll });
            void sending.attempt(sendAll);
          }}
        />
      );
    case 'sending':
      return <SendingFace t={t} sending={sending} ways={ways} onAgain={() => void sending.attempt(view.send)} />;
    case 'timeout':
      return <TimedOut t={t} ways={ways} onAgain={() => open(false)} />;
    default: {
      const onOpen = (click: { detail: number }) => open(wantsShutter(click));
      return <FacePrimer {...{ t, step, active, ways, onOpen }} error={sending.error} />;
    }
  }
}

function waysOf(
  { t, journey, step, handOff, unable }: StepProps,
  sending: Sending,
  send: (shot: Shot) => Promise<void>,
  check: (shot: Shot) => void,
): Ways {
  const sample = () => send({ blob: sampleSelfie(), hints: { source: 'sample' } });
  return {
    // A file shows no living person; where that is asked for it could only be refused.
    onFile:
      step.settings.liveness === 'none'
        ? ({ blob, width = 0, height = 0 }) => check({ blob, hints: { source: 'file', width, height } })
        : undefined,
    onPhone: isComputer() ? handOff : undefined,
    sample:
      journey.environment === 'test'
        ? { label: t('sample.selfie'), busy: sending.share !== undefined, use: () => void sending.attempt(sample) }
        : undefined,
    onUnable: unable,
    onPerson: step.fault && step.attempt > PERSON_AFTER ? unable : undefined,
  };
}
