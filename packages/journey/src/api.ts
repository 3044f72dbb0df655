import type { api, Body, Ok } from '@grove/contract';
import { patience, receive, send, sendBlob, type UploadOptions } from './network.ts';
import { type AnswerOf, type BodyOf, type ParamsOf, type PathOf, urlOf } from './operations.ts';
import { persist } from './persist.ts';
import { uploadOnce } from './upload-once.ts';

/** The calls of the journey. The session cookie grants access to one instance, and the browser sends it by itself. */
export type Journey = Ok<typeof api.journey.get>;
export type Simulation = Ok<typeof api.journey.getSimulation>;
export type JourneyStep = NonNullable<Journey['step']>;
export type Session = Ok<typeof api.journey.createSession>;
export type Offer = Ok<typeof api.journey.offerHandoff>;
export type SentOffer = Ok<typeof api.journey.sendHandoff>;
export type Uploaded = Ok<typeof api.journey.uploadImage>;
export type StepStart = Ok<typeof api.journey.beginStep>;
export type Challenge = Ok<typeof api.journey.createChallenge>;
type NewChallenge = Body<typeof api.journey.createChallenge>;
export type FrameSeal = { token: string; signature: string; at: number };

/** The calls that the view of a step may make. */
export type JourneyApi = {
  /** Reads the current state. */
  get(): Promise<Journey>;
  /** Uploads an image of the current step. The same bytes under the same name are uploaded only once. */
  uploadImage(name: string, blob: Blob, options?: UploadOptions): Promise<Uploaded>;
  /** Downloads an image of the current step, from this attempt or the previous one. */
  seeImage(name: string): Promise<Blob>;
  /** Starts a challenge of active liveness, which ends the previous one. */
  createChallenge(start: NewChallenge): Promise<Challenge>;
  /** Sends a frame for the open instruction of a challenge. The response names the instruction that follows. */
  sendFrame(challengeId: string, seal: FrameSeal, frame: Blob, signal: AbortSignal): Promise<Challenge>;
  /** Gets what the server makes for the page of this step, such as a challenge for a passkey. */
  /** With `anew`, the server makes a new secret instead of the one that was shown. */
  begin(anew?: boolean): Promise<StepStart>;
  /** Makes a link that opens the journey in another browser, once. */
  offerHandoff(): Promise<Offer>;
};

/** The end user's submission of a step: a result, that they cannot do it, or that a poor picture is to be used. */
export type Submitted = { result?: object; unable?: boolean; useAnyway?: boolean };

/** The calls that only the shell may make. */
export type ShellApi = {
  get(signal?: AbortSignal): Promise<Journey>;
  /** Reads the current state with the tenant's theme and texts. */
  getWhole(): Promise<Journey>;
  submit(stepId: string, body: { revision: number } & Submitted): Promise<Journey>;
  /** Returns to an earlier step. */
  repeat(stepId: string, revision: number): Promise<Journey>;
  offerHandoff(): Promise<Offer>;
  /** Makes such a link and sends it by e-mail or text message. */
  sendHandoff(message: Body<typeof api.journey.sendHandoff>): Promise<SentOffer>;
  /** Subscribes to one e-mail that says that the case is decided. */
  tellWhenDecided(notice: Body<typeof api.journey.tellWhenDecided>): Promise<{ sentTo: string }>;
  confirmHandoff(number: number): Promise<Journey>;
  denyHandoff(): Promise<void>;
  takeBack(): Promise<Journey>;
  eventsUrl: string;
  /** The address to which the page reports that the end user left a step. */
  leftUrl(stepId: string): string;
  /** The calls for one attempt of one step. */
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
  // Sends a message once: to repeat it after a lost response would count twice.
  const postOnce = async <P extends PathOf<'POST'>>(
    path: P,
    params: ParamsOf<P>,
    body: BodyOf<'POST', P> & object,
  ): Promise<AnswerOf<'POST', P>> => parseBody(await send(urlOf(path, params), body));
  // The other device shows the time zone, so that its holder can recognise this device.
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

/** Parses a response; undefined for 204. */
function parseBody<T>({ text }: { text: string }): T {
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** An instruction is open for ten seconds, so a frame that takes longer than this to upload is sent again unchanged. */
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
