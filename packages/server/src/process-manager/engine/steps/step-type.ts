import type { TProperties, TSchema } from 'typebox';
import type { ChallengeProgress } from '../../../engines/vision/challenge.ts';
import type { DerivedImage, Vision } from '../../../engines/vision/vision.ts';
import type { Check } from '../../../kernel/check.ts';
import type { Step } from '../definition.ts';
import type { Shape } from '../expressions/shapes.ts';
import type { Findings, JourneyData, KeptData, State } from '../state.ts';
import type { IdentityActs, PresentedFace, StartData } from './identity-acts.ts';

/**
 * A type of step, in its own file and listed in `registry.ts`: its settings in a definition, what the end user sees and
 * sends, and the work of a machine.
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
   * True if a success proves who the end user is. Every step of an identity store sets it: after a failed proof, nothing is
   * registered for the user.
   */
  readonly proves?: boolean;
  /** Set if the step names the user of the store, in `userId` of its data. After a failed `adds` there is no user. */
  readonly links?: 'adds' | 'recognises';
  /** Set if a success is a second factor, besides document and face. */
  readonly factor?: 'passkey';
  /** Set if a later second factor proves nothing, because the end user may have registered it in this journey. */
  readonly voidsFactor?: true;
  /** Set if the step adds evidence that a human who approved earlier has not seen. */
  readonly isEvidence?: true;
  /** The action of the engine for a step of the kind `control`. */
  readonly act?: ControlAct;
  /** Set if its outcome follows from the answer alone, whatever its settings are. */
  readonly byAnswer?: true;
  /** Set if it can be done twice: it has no effect outside the journey and creates no authenticator. */
  readonly repeatable?: true;
  /** Set if a failure ends the journey, unless the definition has an `onFail`. */
  readonly failureEnds?: true;
  /** Other objects that must exist before a deployment. */
  references?(step: Step): readonly Reference[];
  /** Faults of settings that a schema cannot find. Pointers are relative to the step. */
  faults?(step: Step): readonly { pointer: string; message: string }[];
  /** The tenant's texts in its settings, by pointer relative to the step. */
  texts?(step: Step): readonly { pointer: string; text: unknown }[];
  /** The CEL expressions in its settings, by pointer relative to the step. */
  conditions?(step: Step): readonly { pointer: string; text: string }[];
  /** Set if a release does not support it; such a definition cannot be deployed. */
  readonly unavailable?: string;
  readonly user?: UserPart;
  /** Set if poor pictures can be used, for a human to judge. */
  readonly anyway?: AnywayPart;
  /** The checks of the step after a reviewer corrected one of its values. Pure. */
  corrected?(
    step: Step,
    request: { readonly state: State; readonly checks: readonly Check[]; readonly now: number },
  ): readonly Check[];
  /** Whether its work depends on the document of this key, so that it is done again after a correction. */
  readsValuesOf?(step: Step, key: string): boolean;
  /** Set if its work analyses images. */
  readonly looks?: true;
  /** Set if its work waits for a server of the tenant. */
  readonly callsOutside?: true;
  /** The work of a machine, after the end user's part or alone. */
  work?(request: WorkRequest): Promise<WorkResult>;
  /** Replaces `work` if only the database is needed: runs in the transaction of the submission. */
  settle?(request: SettleRequest): Promise<Findings>;
};

export type Keeps = {
  readonly in: keyof KeptData;
  readonly defaultKey: string;
  /** The shape of its data for conditions; any by default. */
  shape?(step: Step): Shape;
};

export type ControlAct = 'decide' | 'notify' | 'review' | 'pause' | 'child';

/** A step with all steps of its definition, because earlier ones may have identified the user. */
export type JourneyStep = {
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly state: State;
  /** The look-up of the registry, which steps cannot import, because it imports them. */
  typeOf(type: string): StepType;
};

/** The input of a step of an identity store, in a transaction. */
export type BeginRequest = JourneyStep & {
  readonly identity: IdentityActs;
};

export type SettleRequest = BeginRequest & { readonly result: Readonly<Record<string, unknown>> };

/** Who completes a step: the end user, a machine, or the engine itself. */
export type Kind = 'user' | 'server' | 'control';

type TenantObject = 'definition' | 'page' | 'theme' | 'watchlist' | 'webhook' | 'secret' | 'store';
/** The name of an `address`, which is outside, is the address itself. */
type ReferenceKind = TenantObject | 'document' | 'face' | 'address';

export type Reference = {
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly version?: number;
  /** The address to which a secret is sent. */
  readonly url?: string;
  readonly pointer: string;
};

export type WantedImage = {
  readonly name: string;
  readonly required: boolean;
  /** Whether the first page of a PDF can replace a photograph. */
  readonly pdf?: boolean;
  /** The analysis that a machine may begin when the image arrives, while the end user continues. */
  readonly ahead?: 'face' | 'document';
  /** The image comes from the frames of a challenge. Only in the sandbox it can be uploaded. */
  readonly byChallenge?: boolean;
};

/** What the end user must prepare for a step. */
export type Need = 'document' | 'face' | 'form' | 'passkey' | 'totp';

export type UserPart = {
  readonly needs?: Need;
  /** The usual time of an end user. */
  readonly seconds: number;
  /** Set if the end user may return to the step and correct it. */
  readonly correctable?: true;
  /** The images an attempt must or may have. */
  images?(step: Step): readonly WantedImage[];
  /** Whether the step has a challenge of active liveness. */
  challenge?(step: Step): boolean;
  /** The schema of the submitted result. */
  result?(step: Step): TSchema;
  /** Replaces `result` if the schema comes from a tenant: the faults of the submitted result. */
  resultFaults?(step: Step, result: unknown): { pointer: string; message: string }[];
  /** The settings for the page. Nothing else of the definition reaches a browser. */
  show(step: Step, state: State): Readonly<Record<string, unknown>>;
  /**
   * Makes the settings that the page requests, such as a challenge. Undefined if that is refused: then the step is settled
   * with an empty result.
   */
  begin?(request: BeginRequest & { readonly anew: boolean }): Promise<StartData | undefined>;
  /** Judges the submitted result as far as possible without a machine. Pure. */
  take(step: Step, submission: Submission): SubmissionResult;
};

export type Submission = {
  readonly result: Readonly<Record<string, unknown>>;
  readonly images: readonly string[];
  /** The data of the journey so far. */
  readonly data: JourneyData;
};

export type AnywayPart = {
  /** The faults of a picture with which it can still be used. */
  readonly reasons: readonly string[];
  /** The checks that a human must decide, because the picture is poor. No check becomes better. */
  soften(checks: readonly Check[], used: { anyway: string; reason: string }): readonly Check[];
};

export type SubmissionResult =
  | {
      readonly outcome: 'PASSED' | 'FAILED';
      readonly reason?: string;
      readonly checks?: readonly Check[];
      readonly data?: Partial<JourneyData>;
    }
  /** A machine must work on it. */
  | { readonly outcome: 'WORK'; readonly data?: Partial<JourneyData> };

/** The findings, and the images that were cut out. */
export type WorkResult = Findings & {
  readonly images?: readonly DerivedImage[];
  /** Ends the work in the transaction of the findings. Its findings replace the others. */
  conclude?(identity: IdentityActs): Promise<Findings>;
};

/** `id` identifies exactly these bytes. */
export type WorkImage = {
  readonly id: string;
  /** The tenant to which the image counts when many wait. */
  readonly share?: string;
  readonly contentType: string;
  /** The hash of the sent bytes. */
  readonly sha256: string;
  read(): Promise<Buffer>;
};

export type WorkRequest = JourneyStep & {
  readonly attempt: number;
  /** The images of this attempt, by name. */
  readonly images: ReadonlyMap<string, WorkImage>;
  /** An image of an earlier step, by the key of the step and its name. */
  image(key: string, name: string): Promise<WorkImage | undefined>;
  /** The progress of a challenge of this instance: its instructions and an observation for each frame. */
  challenge(id: string): Promise<ChallengeProgress | undefined>;
  readonly vision: Vision;
  /** Makes a face template, to compare with the one in an identity store. */
  presentFace(image: WorkImage): Promise<PresentedFace>;
  readonly instanceId: string;
  readonly environment: 'live' | 'test';
  /** Calls a service of the tenant through the guard for outbound requests. Never rejects. */
  callHttp(call: HttpCall): Promise<HttpAnswer>;
  /** Waits, unless the server stops. */
  pause(ms: number): Promise<void>;
  readonly signal: AbortSignal;
};

export type HttpCall = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** `{secret.NAME}` is replaced by a cloud secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type HttpAnswer =
  | { readonly status: number; readonly text: string; readonly fault?: undefined }
  /** With `lasting`, a retry is useless until the tenant has fixed the cause. */
  | { readonly status: 0; readonly text: ''; readonly fault: string; readonly lasting: boolean };
