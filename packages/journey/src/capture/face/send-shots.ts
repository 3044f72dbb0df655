import type { JourneyApi } from '../../api.ts';
import type { ChallengeShots } from './challenge-run.ts';

/** More at a time is not quicker on a phone's line, and would leave less for the rest of the page. */
const AT_A_TIME = 4;

/** Sends the selfie and the frames, and says what the step is then submitted with. */
export async function sendShots(
  api: JourneyApi,
  { nonce, image, frames }: ChallengeShots,
  onProgress: (share: number) => void,
): Promise<{ nonce: string; frames: { name: string; at: number }[] }> {
  const named = frames.map(({ blob, at }, place) => ({ name: `frame${place + 1}`, blob, at }));
  const images = [{ name: 'image', blob: image.blob }, ...named];
  let sent = 0;
  const waiting = images[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      await api.uploadImage(next.value.name, next.value.blob);
      sent += 1;
      onProgress(sent / images.length);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return { nonce, frames: named.map(({ name, at }) => ({ name, at })) };
}
