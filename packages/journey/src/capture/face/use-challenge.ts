import { useEffect, useRef, useState } from 'preact/hooks';
import type { Challenge } from '../../api.ts';
import { type HintPace, noHintYet, paceHint } from '../hint-pace.ts';
import { draw, PICTURE_LIMITS, toJpeg } from '../picture/picture.ts';
import type { Camera } from '../use-camera.ts';
import { regionOf } from '../use-looks.ts';
import { type ChallengeParts, runChallenge } from './challenge-run.ts';
import type { FaceFinder } from './face-finder.ts';
import { ENDINGS, type EndReason, HINTS, isRecognised, type Omission } from './instruction.ts';
import type { FaceHint } from './judge-face.ts';
import { playSound } from './signal-sound.ts';
import { usePlacing } from './use-placing.ts';

/** What the page shows of a challenge. */
export type ChallengeView = {
  /** True once the face is in its place and the server leads. */
  readonly isPlaced: boolean;
  readonly good: boolean;
  readonly pace: HintPace<FaceHint>;
  /** The newest response of the server, once the challenge has started. */
  readonly challenge: Challenge | undefined;
  /** The number of recognised movements. */
  readonly seenMovements: number;
  /** The key of the text to read before it starts again. */
  readonly notice: string | undefined;
};

export type ChallengeOptions = Pick<ChallengeParts, 'api'> & {
  camera: Camera;
  finder: FaceFinder | null | undefined;
  omit: readonly Omission[];
  onDone(challengeId: string): void;
  /** Called if both the first attempt and its repetition ended without success. */
  onEnded(reason: EndReason): void;
  onError(error: unknown): void;
};

const INITIAL_VIEW: ChallengeView = {
  isPlaced: false,
  good: false,
  pace: noHintYet<FaceHint>(),
  challenge: undefined,
  seenMovements: 0,
  notice: undefined,
};

/** The first attempt, and one automatic repetition. */
const TRIES = 2;
/** Long enough to read why it starts again. */
const NOTICE_MS = 3_500;

/** Runs challenges while the view is shown. `restart` gives up the present one and says why. */
export function useChallenge(options: ChallengeOptions): { view: ChallengeView; restart(notice: string): void } {
  const { video, running } = options.camera;
  const latest = useRef(options);
  latest.current = options;
  const tries = useRef(1);
  const [view, setView] = useState(INITIAL_VIEW);
  const { isPlaced, notice } = view;

  const placing = running && !isPlaced && notice === undefined;
  usePlacing(options, placing, (hint, isPlaced) => setView((before) => showPlacing(before, hint, isPlaced)));
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setView(INITIAL_VIEW), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  useEffect(() => {
    if (!running || !isPlaced) return;
    const stop = new AbortController();
    const { api, omit } = latest.current;
    let before: Challenge | undefined;
    const show = (challenge: Challenge) => {
      const isNew = isRecognised(before, challenge);
      if (isNew) acknowledge(before);
      before = challenge;
      setView((last) => showAnswer(last, challenge, isNew));
    };
    runChallenge({ api, omit, show, pause, take: (longestSide) => takeFrame(video, longestSide), signal: stop.signal })
      .then((end) => {
        if (end?.state === 'DONE') return latest.current.onDone(end.challengeId);
        if (!end) return;
        tries.current += 1;
        if (tries.current > TRIES) latest.current.onEnded(end.reason);
        else setView({ ...INITIAL_VIEW, notice: ENDINGS[end.reason] });
      })
      .catch((error: unknown) => latest.current.onError(error));
    return () => stop.abort();
  }, [running, isPlaced, video]);
  return { view, restart: (why) => setView({ ...INITIAL_VIEW, notice: why }) };
}

function showPlacing(view: ChallengeView, hint: FaceHint | null, isPlaced: boolean): ChallengeView {
  // A look that began before the challenge must not end it.
  if (view.isPlaced || view.notice !== undefined) return view;
  const pace = isPlaced ? noHintYet<FaceHint>() : paceHint(view.pace, hint ?? 'hold', performance.now());
  return { ...view, good: hint === null, isPlaced, pace };
}

function showAnswer(view: ChallengeView, challenge: Challenge, isNew: boolean): ChallengeView {
  const warning = HINTS[challenge.hint ?? ''] ?? null;
  return {
    ...view,
    challenge,
    seenMovements: view.seenMovements + (isNew ? 1 : 0),
    good: warning === null,
    pace: paceHint(view.pace, warning, performance.now()),
  };
}

/** Announces a recognised movement to a person who may not look at the screen, or has closed their eyes. */
function acknowledge(before: Challenge | undefined): void {
  const isBlind = before?.instruction?.kind === 'closeEyes';
  if (isBlind) playSound();
  navigator.vibrate?.(isBlind ? [120, 60, 120] : 30);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Takes the present picture of the camera. A page in the background has none. */
async function takeFrame({ current: video }: Camera['video'], longestSide: number): Promise<Blob | undefined> {
  if (!video || video.videoWidth === 0 || document.hidden) return undefined;
  const canvas = draw(video, regionOf(video), longestSide);
  const frame = await toJpeg(canvas, PICTURE_LIMITS.frameQuality);
  // Safari counts the memory of unused canvases until they are empty.
  canvas.width = 0;
  return frame;
}
