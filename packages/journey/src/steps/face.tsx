import { useState } from 'preact/hooks';
import '../capture/capture.css';
import { useBack } from '../back-stack.ts';
import { CheckPicture } from '../capture/check-picture.tsx';
import {
  ChallengeEnded,
  FacePrimer,
  LiveFace,
  NoMoreChallenges,
  SendingFace,
  type Shot,
} from '../capture/face/face-screens.tsx';
import type { EndReason, Omission } from '../capture/face/instruction.ts';
import { prepareSound } from '../capture/face/signal-sound.ts';
import { useFaceFinder } from '../capture/face/use-face-finder.ts';
import { appAround, InApp } from '../capture/in-app.tsx';
import { isComputer, type Ways } from '../capture/other-ways.tsx';
import { sampleSelfie } from '../capture/sample.ts';
import { wantsShutter } from '../capture/shutter.tsx';
import { type Sending, useSending } from '../capture/use-sending.ts';
import { NO_MORE_CHALLENGES } from '../persist.ts';
import { Problem } from '../problem.ts';
import { hashOf } from '../upload-once.ts';
import type { StepProps } from './step.ts';

type View =
  | { at: 'primer' }
  | { at: 'camera'; shutter: boolean }
  | { at: 'check'; shot: Shot }
  | { at: 'ended'; reason: EndReason }
  | { at: 'noMore' }
  | { at: 'sending'; send: () => Promise<void> };

/** After this number of failed attempts, a person is offered beside the camera. */
const PERSON_AFTER = 2;

/** A completed challenge must be submitted within two minutes; after that another one is needed. */
const CHALLENGE_GONE = 100132;

/** Takes a selfie, with or without movements. */
export function FaceStep(props: StepProps) {
  return <Attempt key={props.step.attempt} {...props} />;
}

/** Sends the picture, and offers the other ways to give one. */
function useSelfie(props: StepProps, check: (shot: Shot) => void) {
  const { api, submit } = props;
  const sending = useSending();
  const send = async ({ blob, hints }: Shot) => {
    await api.uploadImage('image', blob, { onProgress: sending.setShare });
    const sha256 = await hashOf(blob);
    await submit({ hints: { ...hints, ...(sha256 && { sha256 }) } });
  };
  return { sending, send, ways: waysOf(props, sending, send, check) };
}

function Attempt(props: StepProps) {
  const { t, step, api, submit } = props;
  const active = step.settings.liveness === 'active';
  const finder = useFaceFinder();
  const [view, setView] = useState<View>({ at: 'primer' });
  const [stays, setStays] = useState(false);
  const [omit, setOmit] = useState<readonly Omission[]>([]);
  const check = (shot: Shot) => setView({ at: 'check', shot });
  const { sending, send, ways } = useSelfie(props, check);
  const app = stays ? undefined : appAround(navigator.userAgent);
  // Called by a tap, without which browsers play no sound.
  const open = (shutter: boolean) => {
    if (active) prepareSound();
    setView({ at: 'camera', shutter });
  };

  const isAhead = view.at === 'camera' || view.at === 'check' || view.at === 'ended';
  useBack(isAhead && sending.share === undefined ? () => setView({ at: 'primer' }) : undefined, 'capture');

  if (app !== undefined) {
    return <InApp t={t} app={app} offer={api.offerHandoff} ways={ways} onStay={() => setStays(true)} />;
  }
  switch (view.at) {
    case 'check': {
      const { blob } = view.shot;
      const onUse = () => void sending.attempt(() => send(view.shot));
      const checking = { t, blob, kind: 'face', sending, onUse, onUnable: props.unable } as const;
      return <CheckPicture {...checking} onRetake={() => open(false)} />;
    }
    case 'camera':
      return (
        <LiveFace
          {...props}
          finder={finder}
          active={active}
          shutter={view.shutter}
          ways={ways}
          omit={omit}
          onOmit={(omission) => setOmit([...omit, omission])}
          onShot={check}
          onEnded={(reason) => setView({ at: 'ended', reason })}
          onError={(error) => {
            sending.setError(error);
            setView({ at: codeOf(error) === NO_MORE_CHALLENGES ? 'noMore' : 'primer' });
          }}
          onAnswered={(challengeId, hints) => {
            const sendAnswer = () => submit({ challengeId, hints });
            setView({ at: 'sending', send: sendAnswer });
            void sending.attempt(sendAnswer);
          }}
        />
      );
    case 'primer': {
      const onOpen = (click: { detail: number }) => open(wantsShutter(click));
      return <FacePrimer t={t} step={step} active={active} ways={ways} onOpen={onOpen} error={sending.error} />;
    }
    default:
      return <AfterChallenge t={t} view={view} sending={sending} ways={ways} onAgain={() => open(false)} />;
  }
}

type AfterChallengeProps = {
  t: StepProps['t'];
  view: Extract<View, { at: 'sending' | 'ended' | 'noMore' }>;
  sending: Sending;
  ways: Ways;
  onAgain(): void;
};

/** Shown when the movements were made and are submitted, or when the challenge ended without success. */
function AfterChallenge({ t, view, sending, ways, onAgain }: AfterChallengeProps) {
  if (view.at === 'noMore') return <NoMoreChallenges t={t} ways={ways} />;
  if (view.at === 'ended') return <ChallengeEnded t={t} reason={view.reason} ways={ways} onAgain={onAgain} />;
  const sendAgain = () => (codeOf(sending.error) === CHALLENGE_GONE ? onAgain() : void sending.attempt(view.send));
  return <SendingFace t={t} sending={sending} ways={ways} onAgain={sendAgain} />;
}

function codeOf(error: unknown): number | undefined {
  return error instanceof Problem ? error.code : undefined;
}

function waysOf(
  { t, journey, step, handOff, unable }: StepProps,
  sending: Sending,
  send: (shot: Shot) => Promise<void>,
  check: (shot: Shot) => void,
): Ways {
  const sample = () => send({ blob: sampleSelfie(), hints: { source: 'sample' } });
  return {
    // A file proves no liveness, so the server could only refuse it.
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
