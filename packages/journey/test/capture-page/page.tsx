import { render } from 'preact';
import type { Journey, JourneyStep } from '../../src/api.ts';
import { directionOf } from '../../src/i18n/languages.ts';
import { loadMessages } from '../../src/i18n/load-messages.ts';
import { translator } from '../../src/i18n/translate.ts';
import { DocumentStep } from '../../src/steps/document.tsx';
import { FaceStep } from '../../src/steps/face.tsx';
import type { StepProps } from '../../src/steps/step.ts';
import { type SentChallenges, scriptedChallenges } from './scripted-challenges.ts';

/**
 * The views of the camera without a server: what they would send is put into `window.sent`. The address configures
 * them: `?type=face&settings={…}&lang=ar&challenges=[{"kinds":["centre","left"]}]`.
 */
type Sent = {
  uploads: { name: string; type: string; bytes: number; text: string }[];
  submitted: object[];
  events: string[];
} & SentChallenges;
const sent: Sent = { uploads: [], submitted: [], events: [], starts: [], frames: [], overlaps: 0 };
const readBlob = (blob: Blob) =>
  new Promise<string>((done) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(',')[1] ?? '');
    reader.readAsDataURL(blob);
  });
const blobs: Blob[] = [];
Object.assign(window, { sent, readBlobs: () => Promise.all(blobs.map(readBlob)) });

const query = new URLSearchParams(location.search);
const language = query.get('lang') ?? 'en';
const type = query.get('type') ?? 'document';
const step = {
  id: 'one',
  type,
  attempt: 1,
  maxAttempts: 3,
  triesLeft: 3,
  images: [],
  settings: JSON.parse(query.get('settings') ?? '{}'),
  ...JSON.parse(query.get('step') ?? '{}'),
} as JourneyStep;
const journey = { processInstanceId: 'P', environment: query.get('environment') ?? 'live' } as Journey;

/** Draws a picture like one that a server has stored. */
function drawing(): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = 1600;
  canvas.height = 1100;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.fillStyle = '#d8d2c4';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#40505a';
  for (let line = 0; line < 12; line += 1) context.fillRect(160, 120 + line * 72, 1280 - line * 60, 26);
  return new Promise((done) => canvas.toBlob((blob) => done(blob as Blob), 'image/jpeg'));
}

async function show() {
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  const areas = await Promise.all((['shell', 'steps', 'capture'] as const).map((area) => loadMessages(area, language)));
  const props: StepProps = {
    journey,
    step,
    language,
    t: translator(Object.assign({}, ...areas), language),
    api: {
      get: async () => journey,
      async uploadImage(name, blob, options) {
        options?.onProgress?.(1);
        const text = blob.type === 'application/json' ? await blob.text() : '';
        // Only the newest upload of a name counts.
        const sameName = sent.uploads.findIndex((upload) => upload.name === name);
        const at = sameName < 0 ? blobs.length : sameName;
        blobs[at] = blob;
        sent.uploads[at] = { name, type: blob.type, bytes: blob.size, text };
        return { name, sha256: '', bytes: blob.size, ...(blob.type === 'application/pdf' && { pages: 2 }) };
      },
      seeImage: () => drawing(),
      begin: async () => ({ begun: false, settings: {} }),
      ...scriptedChallenges(JSON.parse(query.get('challenges') ?? '[]'), sent),
      offerHandoff: async () => ({
        url: 'https://grove.example/web/?h=1',
        number: 42,
        expiringDtm: '2030-01-01T00:00:00.000Z',
      }),
    },
    submit: async (result) => {
      sent.submitted.push(result);
    },
    useAnyway: async () => {
      sent.events.push('useAnyway');
    },
    unable: () => sent.events.push('unable'),
    handOff: () => sent.events.push('handOff'),
  };
  const View = type === 'face' ? FaceStep : DocumentStep;
  const shell = (
    <div class="shell">
      <main>
        <div class="view">
          <View {...props} />
        </div>
      </main>
    </div>
  );
  render(shell, document.getElementById('app') as HTMLElement);
}

void show();
