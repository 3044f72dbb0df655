import { useEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from '../../i18n/translate.ts';
import { CameraStage } from '../camera-stage.tsx';
import { CaptureIcon } from '../icons.tsx';
import { LiveHint } from '../live-hint.tsx';
import type { Camera } from '../use-camera.ts';
import type { ChallengeEnds } from './challenge-run.ts';
import type { FaceFinder } from './face-finder.ts';
import { FACE_ICONS } from './face-icons.ts';
import { FaceOval } from './face-oval.tsx';
import { asInMirror } from './follow-challenge.ts';
import { canSpeak, hush, speak } from './speak.ts';
import { useChallenge } from './use-challenge.ts';

/** Movements that the server chose, asked for one after the other. */
type ChallengeCameraProps = ChallengeEnds & {
  t: Translate;
  language: string;
  camera: Camera;
  finder: FaceFinder | null | undefined;
};

export function ChallengeCamera(props: ChallengeCameraProps) {
  const { t, language, camera } = props;
  const run = useChallenge(props);
  const [aloud, setAloud] = useState(false);
  const { asked, phase } = run;
  const said = useRef('');
  const instruction = phase === 'asking' && asked ? t(`pose.${asInMirror(asked)}`) : '';
  useEffect(() => {
    if (!aloud || instruction === said.current) return;
    said.current = instruction;
    if (instruction) speak(instruction, language);
  }, [aloud, instruction, language]);
  useEffect(() => hush, []);

  return (
    <>
      <CameraStage t={t} camera={camera} shape="face" mirrored>
        <FaceOval
          good={run.good}
          progress={run.progress}
          towards={phase === 'asking' && asked ? asInMirror(asked) : null}
        />
        {instruction ? (
          <div class="hint pose" aria-hidden="true" data-pose={asked ?? ''}>
            <CaptureIcon name={asked ? asInMirror(asked) : 'centre'} />
            <span>{instruction}</span>
          </div>
        ) : (
          <LiveHint t={t} pace={run.pace} area="hint.face" icons={FACE_ICONS} good={run.good} />
        )}
        {instruction && run.warning && (
          <div class="hint second" aria-hidden="true">
            <CaptureIcon name={FACE_ICONS[run.warning]} />
            <span>{t(`hint.face.${run.warning}`)}</span>
          </div>
        )}
      </CameraStage>
      <div class="hidden" aria-live="assertive">
        {instruction}
      </div>
      <p class="note centred">
        {phase === 'asking'
          ? t('challenge.progress', { at: Math.min(run.shown + 1, run.total), total: run.total })
          : t(run.tries > 1 ? 'challenge.again' : 'challenge.ready')}
      </p>
      {canSpeak() && (
        <button type="button" class="button quiet" aria-pressed={aloud} onClick={() => setAloud(!aloud)}>
          <CaptureIcon name="sound" />
          {t(aloud ? 'challenge.quiet' : 'challenge.aloud')}
        </button>
      )}
    </>
  );
}
