import type { Page } from 'playwright-core';

/**
 * A camera that shows what a test wants to be seen, for as long as it wants: a canvas in place of the device. Where a
 * film runs by its own clock, a busy machine would see another part of it each time.
 */
/** `show('')` lets the camera follow what the page asks for again. */
export type DrivenCamera = { show(name: string): Promise<void> };

type Driver = { pictures: Record<string, HTMLImageElement>; shown: string; held: boolean };

/** To be called before the page is opened. */
export async function driveCamera(
  page: Page,
  pictures: Readonly<Record<string, Buffer>>,
  { first, followed }: { first: string; followed?: Readonly<Record<string, readonly string[]>> },
): Promise<DrivenCamera> {
  const sources = Object.entries(pictures).map(([name, jpeg]) => [
    name,
    `data:image/jpeg;base64,${jpeg.toString('base64')}`,
  ]);
  await page.addInitScript(runCamera, { sources, first, followed } as never);
  return {
    show: (name) =>
      page.evaluate((wanted) => {
        const { driver } = window as unknown as { driver: Driver };
        driver.held = wanted !== '';
        if (wanted !== '') driver.shown = wanted;
      }, name),
  };
}

/** Runs in the page. With `followed` it does what the page asks for: from picture to picture, by way of the middle. */
function runCamera({
  sources,
  first,
  followed,
}: {
  sources: [string, string][];
  first: string;
  followed?: Record<string, string[]>;
}) {
  const driver: Driver = { pictures: {}, shown: first, held: false };
  Object.assign(window, { driver });
  const loaded = Promise.all(
    sources.map(async ([name, source]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      driver.pictures[name] = image;
    }),
  );
  let towards = '';
  let at = 0;
  const follow = () => {
    const asked = document.querySelector<HTMLElement>('[data-pose]')?.dataset.pose ?? '';
    const way = followed?.[towards] ?? [];
    if (asked !== towards && at > 0) at -= 1;
    else if (asked !== towards) towards = asked;
    else at = Math.min(at + 1, way.length);
    // What a test wants to be seen comes first.
    if (!driver.held) driver.shown = way[at - 1] ?? first;
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
      // No two pictures of a camera are the same.
      drawn += 1;
      context.fillStyle = `rgb(${drawn % 256} 90 60)`;
      context.fillRect(canvas.width / 2, 2, 4, 4);
    };
    draw();
    setInterval(draw, 60);
    if (followed) setInterval(follow, 260);
    return canvas.captureStream(15);
  };
  Object.defineProperty(navigator.mediaDevices, 'getUserMedia', { value: open, configurable: true });
}

/** Several cameras, each with one colour for a picture. To be called before the page is opened. */
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
      const stream = canvas.captureStream(15);
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

/** From now on the browser refuses the camera, with this name, until what is returned is called. */
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
