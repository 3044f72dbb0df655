import { useEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from '../../i18n/translate.ts';
import { Button } from '../../ui/button.tsx';
import { CameraStage } from '../camera-stage.tsx';
import { CaptureIcon } from '../icons.tsx';
import { LiveHint } from '../live-hint.tsx';
import { FACE_ICONS } from './face-icons.ts';
import { FaceOval } from './face-oval.tsx';
import { type Instruction, instructionView, OMISSIONS, type Omission, progressOf } from './instruction.ts';
import { canSpeak, hush, speak } from './speak.ts';
import { type ChallengeOptions, useChallenge } from './use-challenge.ts';

/** Leads through the movements that the server chooses, one after the other. */
type ChallengeCameraProps = ChallengeOptions & {
  t: Translate;
  language: string;
  /** Called if the person cannot make this movement. */
  onOmit(omission: Omission): void;
};

export function ChallengeCamera(props: ChallengeCameraProps) {
  const { t, language, camera, onOmit } = props;
  const { view, restart } = useChallenge(props);
  const { challenge, notice, good, seenMovements, pace } = view;
  const instruction = challenge?.state === 'OPEN' ? challenge.instruction : undefined;
  const display = instruction && instructionView(instruction);
  const until = display?.drawing === 'closeEyes' ? t('challenge.untilSignal') : '';
  const words = display ? `${t(display.text)} ${until}`.trim() : notice ? t(notice) : '';
  const omission = instruction && OMISSIONS[instruction.kind];
  return (
    <>
      <CameraStage t={t} camera={camera} shape="face" mirrored>
        <FaceOval
          good={good}
          progress={challenge ? progressOf(challenge) : 0}
          towards={display?.drawing}
          seenMovements={seenMovements}
        />
        {instruction && <InstructionHint t={t} instruction={instruction} until={until} />}
        {notice ? (
          <div class="hint long" aria-hidden="true">
            {t(notice)}
          </div>
        ) : (
          <LiveHint t={t} pace={pace} area="hint.face" icons={FACE_ICONS} good={good} second={Boolean(instruction)} />
        )}
      </CameraStage>
      <div class="hidden" aria-live="assertive">
        {words}
      </div>
      <p class="note centred">
        {challenge
          ? t('challenge.progress', { at: challenge.number, total: challenge.total })
          : t(notice ? 'challenge.again' : 'challenge.ready')}
      </p>
      <ReadAloud t={t} language={language} words={words} />
      {omission && (
        <Button
          kind="quiet"
          onPress={() => {
            onOmit(omission);
            restart('challenge.omitted');
          }}
        >
          {t('challenge.omit')}
        </Button>
      )}
    </>
  );
}

function InstructionHint({ t, instruction, until }: { t: Translate; instruction: Instruction; until: string }) {
  const { kind, phase } = instruction;
  const { text, icon } = instructionView(instruction);
  return (
    <div
      class={phase === 'return' ? 'hint good' : 'hint'}
      aria-hidden="true"
      data-pose={phase === 'return' ? 'centre' : kind}
    >
      <CaptureIcon name={icon} />
      <span>
        {t(text)}
        {until && <small>{until}</small>}
      </span>
    </div>
  );
}

function ReadAloud({ t, language, words }: { t: Translate; language: string; words: string }) {
  const [aloud, setAloud] = useState(false);
  const spoken = useRef('');
  useEffect(() => {
    if (!aloud || words === spoken.current) return;
    spoken.current = words;
    if (words) speak(words, language);
  }, [aloud, words, language]);
  useEffect(() => hush, []);
  if (!canSpeak()) return null;
  return (
    <button type="button" class="button quiet" aria-pressed={aloud} onClick={() => setAloud(!aloud)}>
      <CaptureIcon name="sound" />
      {t(aloud ? 'challenge.quiet' : 'challenge.aloud')}
    </button>
  );
}
