/**
 * The actions of an identity store for the steps of a journey. They run in the transaction of the step, so that the store and
 * the journey are changed together or not at all.
 */
export type IdentityActs = {
  addUser(input: NewStoreUser): Promise<ActResult<{ userId: string; created: boolean }>>;
  startPasskeyRegistration(input: OfUser & PasskeyPolicy & Proof): Promise<ActResult<StartData>>;
  completePasskeyRegistration(input: OfUser & PasskeyPolicy & Proof & PasskeyAnswer): Promise<ActResult<UserMatch>>;
  startPasskeyAuthentication(input: OfAnyUser & PasskeyPolicy): Promise<ActResult<StartData>>;
  completePasskeyAuthentication(input: OfAnyUser & PasskeyPolicy & PasskeyAnswer): Promise<ActResult<UserMatch>>;
  /** Shows the earlier secret of this step again, unless `anew` is set or it has expired. */
  startTotpRegistration(input: OfUser & Policy & { anew: boolean }): Promise<ActResult<StartData>>;
  completeTotpRegistration(input: OfUser & Policy & Code): Promise<ActResult<UserMatch>>;
  startTotpAuthentication(input: OfUser & Policy): Promise<ActResult<StartData>>;
  authenticateTotp(input: OfUser & Policy & Code): Promise<ActResult<UserMatch>>;
  enrolFace(input: OfUser & { presented: PresentedFace }): Promise<ActResult<UserMatch>>;
  authenticateFace(input: OfUser & { presented: PresentedFace; threshold: number }): Promise<ActResult<UserMatch>>;
};

/** The result of an action, or a refusal of the store with its code and its meaning for the step. */
export type ActResult<T> =
  | { readonly done: T; readonly refusal?: undefined }
  | { readonly refusal: RefusedAct; readonly done?: undefined };

export type RefusedAct = {
  readonly code: number;
  /** NOT_PERFORMED if the end user is not at fault. */
  readonly status: 'FAILED' | 'NOT_PERFORMED';
  readonly advice: 'retry' | 'final';
};

export type StoreUser =
  | { readonly userId: string; readonly userExtId?: undefined }
  | { readonly userExtId: string; readonly userId?: undefined };

export type OfUser = { readonly store: string; readonly user: StoreUser };
/** Without a user, the passkey identifies the user. */
export type OfAnyUser = { readonly store: string; readonly user: StoreUser | undefined };
export type Policy = { readonly policy: string };
export type PasskeyPolicy = Policy & { readonly rpId: string };
/** Whether the end user has proven in this journey to be the user. */
export type Proof = { readonly isProven: boolean };
export type Code = { readonly code: string };
/** WebAuthn's JSON, or the name of the browser's error. */
export type PasskeyAnswer = { readonly answer: Readonly<Record<string, unknown>> };

export type NewStoreUser = {
  readonly store: string;
  readonly extId: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The behaviour if the store has a user with that external id. */
  readonly existing: 'link' | 'refuse';
  /** The user whom this step added before a reviewer asked for it again. This user is linked in any case. */
  readonly before: string | undefined;
};

/** The settings with which the page continues a ceremony. */
export type StartData = Readonly<Record<string, unknown>>;

export type UserMatch = { readonly userId: string; readonly score?: number };

/** A face template, or the reason why there is none. */
export type PresentedFace =
  | {
      readonly template: Buffer;
      readonly algorithm: string;
      readonly quality: number;
      readonly reasons: readonly string[];
    }
  | { readonly template?: undefined; readonly reason: string };

/** The process and step, for the events of the store. */
export type ParentProcess = {
  readonly parentProcessDefnId: string;
  readonly parentProcessDefnName: string;
  readonly parentProcessDefnVersion: number;
  readonly parentProcessInstanceId: string;
  readonly childProcessDefnName?: string;
  readonly childProcessDefnVersion?: number;
  readonly childProcessDefnTag?: string;
};

export type StepAbout = {
  readonly instanceId: string;
  readonly step: string;
  readonly environment: 'live' | 'test';
  readonly process: ParentProcess;
  readonly now: number;
};
