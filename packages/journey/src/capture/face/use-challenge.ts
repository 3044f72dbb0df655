import { useEffect, useState } from 'preact/hooks';
import { PICTURE_LIMITS } from '../picture/picture.ts';
import type { Camera } from '../use-camera.ts';
import { useLooks } from '../use-looks.ts';
import {
  BEGINNING,
  beginTry,
  type ChallengeEnds,
  type ChallengeRun,
  type ChallengeView,
  finishTry,
  keepFrame,
  lookAtFace,
  newRun,
  selfie,
} from './challenge-run.ts';
import type { FaceFinder } from './face-finder.ts';
import { TIMED, timedMoment } from './timed-challenge.ts';

type Options = ChallengeEnds & { camera: Camera; finder: FaceFinder | null | undefined };

/** Runs a challenge for as long as the view is there, and says what is to be shown of it. */
export function useChallenge(options: Options): ChallengeView {
  const { camera } = options;
  const [unguided, setUnguided] = useState(false);
  const [view, setView] = useState<ChallengeView>(BEGINNING);
  const [run] = useState(() =>
    newRun({
      video: camera.video,
      ends: options,
      change: (next) => setView((before) => ({ ...before, ...(typeof next === 'function' ? next(before) : next) })),
      onSlow: () => setUnguided(true),
    }),
  );
  run.ends = options;
  const finder = unguided ? null : options.finder;
  const going = camera.running && view.phase !== 'over';
  useLooks(
    camera.video,
    going && Boolean(finder),
    async (taken) => {
      if (finder) await lookAtFace(run, finder, taken);
    },
    () => setUnguided(true),
    PICTURE_LIMITS.frameEdge,
  );
  useTimed(run, going && finder === null);
  return view;
}

/** Without landmarks the clock leads through the movements. */
function useTimed(run: ChallengeRun, active: boolean): void {
  useEffect(() => {
    if (!active) return;
    let going = true;
    const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
    const work = async () => {
      await pause(TIMED.readyMs);
      if (going) await beginTry(run);
      const { tried } = run;
      while (going && tried) {
        const elapsed = performance.now() - tried.startedAt;
        const { asked, shown, progress } = timedMoment(tried.state.poses, elapsed);
        run.change({ asked, shown, progress, good: true });
        if (!asked) return finishTry(run, tried);
        keepFrame(run, tried, elapsed);
        // By then who has read "look straight ahead" does.
        if (!tried.image && elapsed > TIMED.poseMs / 2) tried.image = selfie(run);
        await pause(TIMED.frameMs);
      }
    };
    void work();
    return () => {
      going = false;
    };
  }, [active, run]);
}
