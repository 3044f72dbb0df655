import type { api, Body, Ok } from '@grove/contract';
import { patience, receive, send, sendBlob, type UploadOptions } from './network.ts';
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
export type Begun = Ok<typeof api.journey.beginStep>;
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
  begin(anew?: boolean): Promise<Begun>;
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
  const base = `/api/journey/${encodeURIComponent(instanceId)}`;
  const call = async <T>(path: string, body?: object, signal?: AbortSignal): Promise<T> => {
    const { text } = await persist(() => send(`${base}${path}`, body, signal), patience, { signal });
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  // A message that was sent twice because an answer was lost would count twice.
  const sendOnce = async <T>(path: string, body: object): Promise<T> =>
    JSON.parse((await send(`${base}${path}`, body)).text) as T;
  const get = (signal?: AbortSignal) => call<Journey>('', undefined, signal);
  const getWhole = () => call<Journey>('?theme=true');
  // Shown on the other device, for its holder to know this one by.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const offerHandoff = () => call<Offer>('/handoffs', { timeZone });
  return {
    get,
    getWhole,
    eventsUrl: `${base}/events`,
    leftUrl: (stepId) => `${base}/steps/${encodeURIComponent(stepId)}/left`,
    submit: (stepId, body) => call(`/steps/${encodeURIComponent(stepId)}`, body),
    repeat: (stepId, revision) => call(`/steps/${encodeURIComponent(stepId)}/again`, { revision }),
    offerHandoff,
    sendHandoff: (message) => sendOnce('/handoffs/send', { ...message, timeZone }),
    tellWhenDecided: (notice) => sendOnce('/notices', notice),
    confirmHandoff: (number) => call('/handoffs/confirm', { number }),
    denyHandoff: () => call('/handoffs/deny', {}),
    takeBack: () => call('/handoffs/takeBack', {}),
    ofStep: ({ id }) => ({
      get: () => get(),
      offerHandoff,
      uploadImage: uploader(`${base}/steps/${encodeURIComponent(id)}/images`),
      seeImage: (name) => {
        const path = `${base}/steps/${encodeURIComponent(id)}/images/${encodeURIComponent(name)}`;
        return persist(() => receive(path), patience);
      },
      begin: (anew = false) => call(`/steps/${encodeURIComponent(id)}/begin`, anew ? { anew } : {}),
      createChallenge: (start) => call(`/steps/${encodeURIComponent(id)}/challenges`, start),
      sendFrame: frameSender(`${base}/steps/${encodeURIComponent(id)}/challenges`),
    }),
  };
}

/** An instruction is open for ten seconds: a frame that takes longer to arrive is sent again, as it is. */
const FRAME_TIMEOUT_MS = 8_000;

function frameSender(base: string): JourneyApi['sendFrame'] {
  return async (challengeId, { token, signature, at }, frame, signal) => {
    const query = new URLSearchParams({ token, signature, at: String(at) });
    const path = `${base}/${encodeURIComponent(challengeId)}/frames?${query}`;
    const sent = () => sendBlob(path, frame, { signal, timeoutMs: FRAME_TIMEOUT_MS });
    return JSON.parse((await persist(sent, patience, { signal })).text) as Challenge;
  };
}

function uploader(base: string): JourneyApi['uploadImage'] {
  return uploadOnce(async (name, blob, options: UploadOptions = {}) => {
    const send = () => sendBlob(`${base}/${encodeURIComponent(name)}`, blob, options);
    const { text } = await persist(send, patience, { signal: options.signal });
    return JSON.parse(text) as Uploaded;
  });
}
