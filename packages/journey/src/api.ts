import type { api, Body, Ok } from '@grove/contract';
import { patience, receive, send, sendBlob, type UploadOptions } from './network.ts';
import { type AnswerOf, type BodyOf, type ParamsOf, type PathOf, urlOf } from './operations.ts';
import { persist } from './persist.ts';
import { uploadOnce } from './upload-once.ts';

/** The calls of the journey. The cookie that came with the session opens one instance, and goes by itself. */
export type Journey = Ok<typeof api.journey.get>;
export type Simulation = Ok<typeof api.journey.getSimulation>;
export type JourneyStep = NonNullable<Journey['step']>;
export type Session = Ok<typeof api.journey.createSession>;
export type Offer = Ok<typeof api.journey.offerHandoff>;
export type SentOffer = Ok<typeof api.journey.sendHandoff>;
export type Uploaded = Ok<typeof api.journey.uploadImage>;
export type Beginning = Ok<typeof api.journey.beginStep>;
export type Challenge = Ok<typeof api.journey.createChallenge>;
type NewChallenge = Body<typeof api.journey.createChallenge>;
export type FrameSeal = { token: string; signature: string; at: number };

/** What a view of a step may call. */
export type JourneyApi = {
  /** What now. */
  get(): Promise<Journey>;
  /** Uploads an image of the current step. The same bytes under the same name are sent once, however often it is called. */
  uploadImage(name: string, blob: Blob, options?: UploadOptions): Promise<Uploaded>;
  /** An image of the current step as the server has it, of this attempt or of the one before. */
  seeImage(name: string): Promise<Blob>;
  /** Starts a challenge of active liveness; the one before ends. */
  createChallenge(start: NewChallenge): Promise<Challenge>;
  /** Sends a frame to the open instruction of a challenge; the answer says which one is open then. */
  sendFrame(challengeId: string, seal: FrameSeal, frame: Blob, signal: AbortSignal): Promise<Challenge>;
  /** What the server makes for the page of this step, such as a challenge for a passkey. */
  /** `anew`: another secret than the one that was shown. */
  begin(anew?: boolean): Promise<Beginning>;
  /** A link that opens the journey in another browser, once. */
  offerHandoff(): Promise<Offer>;
};

/** What is said of a step: what the end user gave, or that they cannot, or that what was poor shall be used. */
export type Submitted = { result?: object; unable?: boolean; useAnyway?: boolean };

/** What the shell may call beside that. */
export type ShellApi = {
  get(signal?: AbortSignal): Promise<Journey>;
  /** The same with the look and the words of the tenant. */
  getWhole(): Promise<Journey>;
  submit(stepId: string, body: { revision: number } & Submitted): Promise<Journey>;
  /** Goes back to an earlier step. */
  repeat(stepId: string, revision: number): Promise<Journey>;
  offerHandoff(): Promise<Offer>;
  /** The same, and the link is sent where it should be opened. */
  sendHandoff(message: Body<typeof api.journey.sendHandoff>): Promise<SentOffer>;
  /** Told by e-mail once, that it is decided. */
  tellWhenDecided(notice: Body<typeof api.journey.tellWhenDecided>): Promise<{ sentTo: string }>;
  confirmHandoff(number: number): Promise<Journey>;
  denyHandoff(): Promise<void>;
  takeBack(): Promise<Journey>;
  eventsUrl: string;
  /** Where it is said that the page of a step was left. */
  leftUrl(stepId: string): string;
  /** The calls of one attempt of one step. */
  ofStep(step: JourneyStep): JourneyApi;
};

export function openApi(instanceId: string): ShellApi {
  const ofJourney = { processInstanceId: instanceId };
  const get = async (signal?: AbortSignal): Promise<Journey> =>
    parseBody(await persist(() => send(urlOf(JOURNEY, ofJourney), undefined, signal), patience, { signal }));
  const getWhole = async (): Promise<Journey> =>
    parseBody(await persist(() => send(`${urlOf(JOURNEY, ofJourney)}?theme=true`), patience));
  const post = async <P extends PathOf<'POST'>>(
    path: P,
    params: ParamsOf<P>,
    body: BodyOf<'POST', P> & object,
  ): Promise<AnswerOf<'POST', P>> => parseBody(await persist(() => send(urlOf(path, params), body), patience));
  // A message that was sent twice because an answer was lost would count twice.
  const postOnce = async <P extends PathOf<'POST'>>(
    path: P,
    params: ParamsOf<P>,
    body: BodyOf<'POST', P> & object,
  ): Promise<AnswerOf<'POST', P>> => parseBody(await send(urlOf(path, params), body));
  // Shown on the other device, for its holder to know this one by.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const offerHandoff = () => post(`${JOURNEY}/handoffs`, ofJourney, { timeZone });
  return {
    get,
    getWhole,
    eventsUrl: urlOf(`${JOURNEY}/events`, ofJourney),
    leftUrl: (stepId) => urlOf(`${STEP}/left`, { ...ofJourney, stepId }),
    submit: (stepId, body) => post(STEP, { ...ofJourney, stepId }, body as Body<typeof api.journey.submitStep>),
    repeat: (stepId, revision) => post(`${STEP}/again`, { ...ofJourney, stepId }, { revision }),
    offerHandoff,
    sendHandoff: (message) => postOnce(`${JOURNEY}/handoffs/send`, ofJourney, { ...message, timeZone }),
    tellWhenDecided: (notice) => postOnce(`${JOURNEY}/notices`, ofJourney, notice),
    confirmHandoff: (number) => post(`${JOURNEY}/handoffs/confirm`, ofJourney, { number }),
    denyHandoff: () => post(`${JOURNEY}/handoffs/deny`, ofJourney, {}),
    takeBack: () => post(`${JOURNEY}/handoffs/takeBack`, ofJourney, {}),
    ofStep({ id: stepId }) {
      const ofStep = { ...ofJourney, stepId };
      const imageUrl = (imageName: string) => urlOf(`${STEP}/images/{imageName}`, { ...ofStep, imageName });
      return {
        get: () => get(),
        offerHandoff,
        uploadImage: uploader(imageUrl),
        seeImage: (name) => persist(() => receive(imageUrl(name)), patience),
        begin: (anew = false) => post(`${STEP}/begin`, ofStep, anew ? { anew } : {}),
        createChallenge: (start) => post(`${STEP}/challenges`, ofStep, start),
        sendFrame: frameSender((challengeId) =>
          urlOf(`${STEP}/challenges/{challengeId}/frames`, { ...ofStep, challengeId }),
        ),
      };
    },
  };
}

const JOURNEY = '/api/journey/{processInstanceId}';
const STEP = `${JOURNEY}/steps/{stepId}` as const;

/** What was answered; nothing if it was 204. */
function parseBody<T>({ text }: { text: string }): T {
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** An instruction is open for ten seconds: a frame that takes longer to arrive is sent again, as it is. */
const FRAME_TIMEOUT_MS = 8_000;

function frameSender(frameUrl: (challengeId: string) => string): JourneyApi['sendFrame'] {
  return async (challengeId, { token, signature, at }, frame, signal) => {
    const query = new URLSearchParams({ token, signature, at: String(at) });
    const path = `${frameUrl(challengeId)}?${query}`;
    const sendFrame = () => sendBlob(path, frame, { signal, timeoutMs: FRAME_TIMEOUT_MS });
    return JSON.parse((await persist(sendFrame, patience, { signal })).text) as Challenge;
  };
}

function uploader(imageUrl: (name: string) => string): JourneyApi['uploadImage'] {
  return uploadOnce(async (name, blob, options: UploadOptions = {}) => {
    const send = () => sendBlob(imageUrl(name), blob, options);
    const { text } = await persist(send, patience, { signal: options.signal });
    return JSON.parse(text) as Uploaded;
  });
}
