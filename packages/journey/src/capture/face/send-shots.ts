import type { JourneyApi } from '../../api.ts';
import type { ChallengeShots } from './challenge-run.ts';

/** More at a time is not quicker on a phone's line, and would leave less for the rest of the page. */
const AT_A_TIME = 4;
/** While the end user still moves, the camera comes first. */
const AHEAD_AT_A_TIME = 2;

type Named = { name: string; blob: Blob };

/** Sends the selfie and the frames, and says what the step is then submitted with. What was sent ahead is there already. */
export async function sendShots(
  api: JourneyApi,
  { nonce, image, frames }: ChallengeShots,
  onProgress: (share: number) => void,
): Promise<{ nonce: string; frames: { name: string; at: number }[] }> {
  const images: Named[] = [{ name: 'image', blob: image.blob }, ...frames];
  let sent = 0;
  await sendSome(images, AT_A_TIME, async ({ name, blob }) => {
    await api.uploadImage(name, blob);
    sent += 1;
    onProgress(sent / images.length);
  });
  return { nonce, frames: frames.map(({ name, at }) => ({ name, at })) };
}

/**
 * Sends what is chosen while a challenge runs, so that little is left to send, and to look at, when it is over. What
 * belongs to an earlier try is not sent any more; what could not be sent is sent in the end.
 */
export function sendAhead(api: JourneyApi): (chosen: Named & { nonce: string }) => void {
  let waiting: (Named & { nonce: string })[] = [];
  let senders = 0;
  const work = async () => {
    senders += 1;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await api.uploadImage(next.name, next.blob).catch(() => undefined);
    }
    senders -= 1;
  };
  return (chosen) => {
    waiting = [...waiting.filter(({ nonce }) => nonce === chosen.nonce), chosen];
    if (senders < AHEAD_AT_A_TIME) void work();
  };
}

async function sendSome(images: readonly Named[], atATime: number, send: (image: Named) => Promise<void>) {
  const waiting = images[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await send(next.value);
  };
  await Promise.all(Array.from({ length: atATime }, work));
}
