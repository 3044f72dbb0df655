import type { TProperties, TSchema } from 'typebox';
import type { ChallengeProgress } from '../../../engines/vision/challenge.ts';
import type { DerivedImage, Vision } from '../../../engines/vision/vision.ts';
import type { Check } from '../../../kernel/check.ts';
import type { Step } from '../definition.ts';
import type { Shape } from '../expressions/shapes.ts';
import type { Findings, JourneyData, KeptData, State } from '../state.ts';
import type { Beginning, IdentityActs, PresentedFace } from './identity-acts.ts';

/**
 * A type of step: one file each, listed in `registry.ts`. What a definition may say of it, what the end user sees and
 * sends, and what a machine does about it.
 */
export type StepType = {
  readonly type: string;
  /** One sentence, for the published schema and the documentation. */
  readonly about: string;
  readonly kind: Kind;
  /** The settings beside those that every step has. Defaults are written into documents when they are stored. */
  readonly settings: TProperties;
  /** Which part of the journey's data the step writes to. Such steps have a `key`; `defaultKey` is used if the definition gives none. */
  readonly keeps?: Keeps;
  /**
   * True if a success proves who the end user is. Every step of an identity store says it: after one that proves and did not
   * pass, nothing is registered for the user.
   */
  readonly proves?: boolean;
  /** Set if it says who the user of the store is, in `userId` of what it keeps. After a failed `adds` nobody is meant. */
  readonly links?: 'adds' | 'recognises';
  /** Set if a success is a second factor, besides document and face. */
  readonly factor?: 'passkey';
  /** Set if a second factor in the same journey proves nothing after it, because the end user may have made it here. */
  readonly voidsFactor?: true;
  /** Set if a human who approved before this step has not seen what it brought. */
  readonly isEvidence?: true;
  /** What the engine does with a step of the kind `control`. */
  readonly act?: ControlAct;
  /** Set if its outcome is the answer that it got, whatever its settings say. */
  readonly byAnswer?: true;
  /** Set if it can be done twice: it has no effect outside of the journey, and makes no authenticator. */
  readonly repeatable?: true;
  /** Set if a failure ends the journey unless the definition says where else to go. */
  readonly failureEnds?: true;
  /** Other objects it needs, to be found before deployment. */
  references?(step: Step): readonly Reference[];
  /** Faults of settings that a schema cannot find. Pointers are relative to the step. */
  faults?(step: Step): readonly { pointer: string; message: string }[];
  /** Words of the tenant among its settings, by pointer relative to the step. */
  texts?(step: Step): readonly { pointer: string; text: unknown }[];
  /** CEL expressions among its settings, by pointer relative to the step. */
  conditions?(step: Step): readonly { pointer: string; text: string }[];
  /** Set while a release cannot do it; such a definition cannot be deployed. */
  readonly unavailable?: string;
  readonly user?: UserPart;
  /** Where pictures that are poor can be used all the same, for a human to look at. */
  readonly anyway?: AnywayPart;
  /** The checks of the step after a reviewer corrected a value that it read. Pure. */
  corrected?(
    step: Step,
    request: { readonly state: State; readonly checks: readonly Check[]; readonly now: number },
  ): readonly Check[];
  /** Whether its work rests on what the document of this key says. Then it is done again when a reviewer corrects that. */
  readsValuesOf?(step: Step, key: string): boolean;
  /** Set if its work needs the engine that analyses images. */
  readonly looks?: true;
  /** Set if its work waits for a server of the tenant. */
  readonly callsOutside?: true;
  /** What a machine does: after the end user, or alone. */
  work?(request: WorkRequest): Promise<WorkResult>;
  /** In place of `work` where nothing but the database is needed: done in the transaction that took what was submitted. */
  settle?(request: SettleRequest): Promise<Findings>;
};

export type Keeps = {
  readonly in: keyof KeptData;
  readonly defaultKey: string;
  /** What it gathers, as conditions see it; anything unless given. */
  shape?(step: Step): Shape;
};

/** What the engine does with a step of the kind `control`. */
export type ControlAct = 'decide' | 'notify' | 'review' | 'pause' | 'child';

/** A step among all of its definition: earlier ones may have said who the user is. */
export type JourneyStep = {
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly state: State;
  /** The registry: steps cannot import it, because it imports them. */
  typeOf(type: string): StepType;
};

/** What a step of an identity store is handed, in a transaction. */
export type BeginRequest = JourneyStep & {
  readonly identity: IdentityActs;
};

export type SettleRequest = BeginRequest & { readonly result: Readonly<Record<string, unknown>> };

/** Who moves it on: the end user, a machine, or the engine by itself. */
export type Kind = 'user' | 'server' | 'control';

type TenantObject = 'definition' | 'page' | 'theme' | 'watchlist' | 'webhook' | 'secret' | 'store';
/** An `address` leads outside; its name is the address itself. */
type ReferenceKind = TenantObject | 'document' | 'face' | 'address';

export type Reference = {
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly version?: number;
  /** Where it is sent, for a secret. */
  readonly url?: string;
  readonly pointer: string;
};

export type WantedImage = {
  readonly name: string;
  readonly required: boolean;
  /** The first page of a PDF is taken in place of a photograph. */
  readonly pdf?: boolean;
  /** What a machine may begin to look for when the image arrives, while the end user goes on. */
  readonly ahead?: 'face' | 'document';
  /** Taken from the frames of a challenge. Only the sandbox lets it be uploaded. */
  readonly byChallenge?: boolean;
};

/** What the end user needs at hand for a step. */
export type Need = 'document' | 'face' | 'form' | 'passkey' | 'totp';

export type UserPart = {
  readonly needs?: Need;
  /** How long an honest end user takes. */
  readonly seconds: number;
  /** Set if the end user may come back to it and change what was given. */
  readonly correctable?: true;
  /** The images an attempt must or may have. */
  images?(step: Step): readonly WantedImage[];
  /** Whether the end user is asked to move before the camera. */
  challenge?(step: Step): boolean;
  /** The schema of what is submitted. */
  result?(step: Step): TSchema;
  /** In place of `result` where the schema comes from a tenant: what is wrong with what was submitted. */
  resultFaults?(step: Step, result: unknown): { pointer: string; message: string }[];
  /** What the page needs to show the step; nothing else of the definition reaches a browser. */
  show(step: Step, state: State): Readonly<Record<string, unknown>>;
  /**
   * What a page needs that has to be made for it, such as a challenge, when it asks for it. Nothing if it is refused: then
   * the step is settled with an empty result, and ends as it would have after it.
   */
  begin?(request: BeginRequest & { readonly anew: boolean }): Promise<Beginning | undefined>;
  /** What the end user gave, as far as it can be judged without a machine. Pure. */
  take(step: Step, submission: Submission): SubmissionResult;
};

export type Submission = {
  readonly result: Readonly<Record<string, unknown>>;
  readonly images: readonly string[];
  /** What the journey has so far. */
  readonly data: JourneyData;
};

export type AnywayPart = {
  /** What may be wrong with a picture that is used. */
  readonly reasons: readonly string[];
  /** What is for a human to say, because the picture is poor. Nothing becomes better than it was found. */
  soften(checks: readonly Check[], used: { anyway: string; reason: string }): readonly Check[];
};

export type SubmissionResult =
  | {
      readonly outcome: 'PASSED' | 'FAILED';
      readonly reason?: string;
      readonly checks?: readonly Check[];
      readonly data?: Partial<JourneyData>;
    }
  /** A machine has to look at it. */
  | { readonly outcome: 'WORK'; readonly data?: Partial<JourneyData> };

/** What was found, and what was cut out of the images on the way. */
export type WorkResult = Findings & {
  readonly images?: readonly DerivedImage[];
  /** The end of the work, in the transaction that takes the findings: what it gives is found in place of the rest. */
  conclude?(identity: IdentityActs): Promise<Findings>;
};

/** `id` names these bytes and no others. */
export type WorkImage = {
  readonly id: string;
  /** The tenant whose turn it takes when many images wait. */
  readonly share?: string;
  readonly contentType: string;
  /** Of the bytes that were sent. */
  readonly sha256: string;
  read(): Promise<Buffer>;
};

export type WorkRequest = JourneyStep & {
  readonly attempt: number;
  /** The images of this attempt, by name. */
  readonly images: ReadonlyMap<string, WorkImage>;
  /** An image of an earlier step, by the key of the step and its name. */
  image(key: string, name: string): Promise<WorkImage | undefined>;
  /** The challenge of this instance that has this id: what was asked for, and what every frame showed. */
  challenge(id: string): Promise<ChallengeProgress | undefined>;
  readonly vision: Vision;
  /** A face as numbers, to be compared with the one that an identity store knows. */
  presentFace(image: WorkImage): Promise<PresentedFace>;
  readonly instanceId: string;
  readonly environment: 'live' | 'test';
  /** Asks a service of the tenant, through the guard of what may be dialled. Never rejects. */
  callHttp(call: HttpCall): Promise<HttpAnswer>;
  /** Lets time pass, unless the server stops. */
  pause(ms: number): Promise<void>;
  readonly signal: AbortSignal;
};

export type HttpCall = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** `{secret.NAME}` stands for a cloud secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type HttpAnswer =
  | { readonly status: number; readonly text: string; readonly fault?: undefined }
  /** `lasting`: to ask again changes nothing, because the tenant must mend it. */
  | { readonly status: 0; readonly text: ''; readonly fault: string; readonly lasting: boolean };
