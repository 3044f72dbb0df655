import type { Page } from 'playwright-core';

/**
 * A camera whose picture the test controls: a canvas in place of the device. A film runs by its own clock, so a busy
 * machine would see another part of it each time.
 */
/** `show('')` lets the camera follow the page's instructions again. */
export type DrivenCamera = { show(name: string): Promise<void> };

/** Pictures of a person who follows the instructions. Each is shown for one frame, as no two real frames are equal. */
export type Acting = { rest: readonly string[]; takes: Readonly<Record<string, readonly (readonly string[])[]>> };

type Driver = { pictures: Record<string, HTMLImageElement>; first: string; shown: string; held: boolean };
/** `reactionMs`: the time that a person needs to react. */
type Drive = { first: string; acting?: Acting; reactionMs?: number; disguised?: boolean };

/** Must be called before the page is opened. With `disguised`, the page takes the canvas for a camera. */
export async function driveCamera(
  page: Page,
  pictures: Readonly<Record<string, Buffer>>,
  drive: Drive,
): Promise<DrivenCamera> {
  const sources = Object.entries(pictures).map(([name, jpeg]) => [
    name,
    `data:image/jpeg;base64,${jpeg.toString('base64')}`,
  ]);
  await page.addInitScript(runCamera, { sources, ...drive } as never);
  return {
    show: (name) =>
      page.evaluate((wantedPicture) => {
        const { driver } = window as unknown as { driver: Driver };
        driver.held = wantedPicture !== '';
        driver.shown = wantedPicture || driver.first;
      }, name),
  };
}

/** Runs in the page. */
function runCamera({ sources, first, acting, reactionMs = 350, disguised }: Drive & { sources: [string, string][] }) {
  const driver: Driver = { pictures: {}, first, shown: first, held: false };
  Object.assign(window, { driver });
  const loaded = Promise.all(
    sources.map(async ([name, source]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      driver.pictures[name] = image;
    }),
  );
  /** Moves the first of a list to its end. */
  const turn = <T>(list: T[]): T | undefined => {
    const head = list.shift();
    if (head !== undefined) list.push(head);
    return head;
  };
  const rest = [...(acting?.rest ?? [])];
  const takes = Object.fromEntries(Object.entries(acting?.takes ?? {}).map(([name, all]) => [name, [...all]]));
  let pose = 'centre';
  let playing: string[] = [];
  const showNext = () => {
    const name = pose === 'centre' ? turn(rest) : playing.shift();
    // A picture that a test shows has precedence.
    if (name && !driver.held) driver.shown = name;
  };
  let request = { pose, at: 0 };
  const follow = () => {
    const wanted = document.querySelector<HTMLElement>('[data-pose]')?.dataset.pose ?? 'centre';
    if (wanted !== request.pose) request = { pose: wanted, at: performance.now() };
    if (wanted === pose || performance.now() - request.at < reactionMs) return;
    pose = wanted;
    playing = [...(turn(takes[pose] ?? []) ?? [])];
    showNext();
  };
  const { toBlob } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.toBlob = function (...order) {
    toBlob.apply(this, order);
    showNext();
  };
  const open = async () => {
    await loaded;
    const canvas = document.createElement('canvas');
    const size = driver.pictures[driver.shown];
    canvas.width = size?.naturalWidth ?? 0;
    canvas.height = size?.naturalHeight ?? 0;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    let drawn = 0;
    const draw = () => {
      const image = driver.pictures[driver.shown];
      if (!image) return;
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      // No two frames of a real camera are equal.
      drawn += 1;
      context.fillStyle = `rgb(${drawn % 256} 90 60)`;
      context.fillRect(canvas.width / 2, 2, 4, 4);
    };
    draw();
    setInterval(draw, 100);
    if (acting) setInterval(follow, 60);
    const stream = canvas.captureStream(10);
    if (disguised) {
      const [track] = stream.getVideoTracks();
      Object.defineProperties(track as object, {
        constructor: { value: MediaStreamTrack },
        label: { value: 'Front camera' },
      });
    }
    return stream;
  };
  if (!disguised) {
    Object.defineProperty(navigator.mediaDevices, 'getUserMedia', { value: open, configurable: true });
    return;
  }
  // An attacker who controls the browser can imitate an honest one.
  const { getUserMedia } = MediaDevices.prototype;
  const describe = Function.prototype.toString;
  MediaDevices.prototype.getUserMedia = open;
  Function.prototype.toString = function () {
    return describe.call(this === open ? getUserMedia : this);
  };
}

/** Imitates several cameras, each with a picture of one colour. Must be called before the page is opened. */
export async function fakeLenses(
  page: Page,
  lenses: readonly { label: string; colour: string; torch?: boolean }[],
): Promise<void> {
  await page.addInitScript((all) => {
    const streamOf = ({ label, colour, torch = false }: (typeof all)[number]) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: 640, height: 480 });
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.fillStyle = colour;
      setInterval(() => context.fillRect(0, 0, 640, 480), 60);
      const stream = canvas.captureStream(10);
      const [track] = stream.getVideoTracks();
      Object.defineProperty(track, 'label', { value: label });
      Object.assign(track as object, {
        getSettings: () => ({ deviceId: label }),
        getCapabilities: () => ({ torch }),
        applyConstraints: async () => undefined,
      });
      return stream;
    };
    const open = async ({ video }: { video: { deviceId?: { exact: string } } }) =>
      streamOf(all.find(({ label }) => label === video.deviceId?.exact) ?? (all[0] as (typeof all)[number]));
    const list = async () => all.map(({ label }) => ({ kind: 'videoinput', deviceId: label, label }));
    Object.defineProperty(navigator.mediaDevices, 'getUserMedia', { value: open, configurable: true });
    Object.defineProperty(navigator.mediaDevices, 'enumerateDevices', { value: list, configurable: true });
  }, lenses);
}

/** Makes the browser refuse the camera with this name, until the returned function is called. */
export async function refuseCamera(page: Page, name: string, message = ''): Promise<() => Promise<void>> {
  await page.evaluate(
    ({ name: wanted, message: text }) => {
      const refuse = () => Promise.reject(new DOMException(text, wanted));
      Object.defineProperty(navigator.mediaDevices, 'getUserMedia', { value: refuse, configurable: true });
    },
    { name, message },
  );
  return () =>
    page.evaluate(() => {
      Reflect.deleteProperty(navigator.mediaDevices, 'getUserMedia');
    });
}
