import type { User } from './types.ts';

export type InputFault = { readonly pointer: string; readonly message: string };

export type GroveErrorInit = {
  operation: string;
  status: number;
  message: string;
  code?: number | undefined;
  requestId?: string | undefined;
  errors?: readonly InputFault[] | undefined;
  retryAfterSeconds?: number | undefined;
  user?: unknown;
};

/** The server answered with an error. */
export class GroveError extends Error {
  /** The operation that was called, for example `apiKeys.create`. */
  readonly operation: string;
  /** The HTTP status. */
  readonly status: number;
  /** The code of the error in Grove's catalogue; absent if something other than Grove answered, such as a proxy. */
  readonly code: number | undefined;
  /** The id of the request. Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** The parts of the input that are invalid. */
  readonly errors: readonly InputFault[];
  readonly retryAfterSeconds: number | undefined;
  /** The user after a refused ceremony, for example locked or with one attempt fewer. */
  declare readonly user: User | undefined;

  constructor(init: GroveErrorInit) {
    super(init.message);
    this.name = 'GroveError';
    this.operation = init.operation;
    this.status = init.status;
    this.code = init.code;
    this.requestId = init.requestId;
    this.errors = init.errors ?? [];
    this.retryAfterSeconds = init.retryAfterSeconds;
    // The member is not enumerable, so that logging the error does not write personal data into the log.
    Object.defineProperty(this, 'user', { value: isRecord(init.user) ? init.user : undefined });
  }
}

export type ConnectionFault = 'unsent' | 'lost' | 'timeout';

/** No answer arrived. Only `unsent` tells whether the server acted: it did not. */
export class GroveConnectionError extends Error {
  readonly operation: string;
  /** `unsent`: no connection was made; `lost`: it broke before the whole answer arrived; `timeout`: it took too long. */
  readonly fault: ConnectionFault;

  /**
   * The original error is not kept as `cause`: a fetch that the caller supplies may put the request, and with it the
   * credential, into its errors.
   */
  constructor(init: { operation: string; fault: ConnectionFault; reason: string }) {
    super(`${init.operation}: ${faultTexts[init.fault]} (${init.reason})`);
    this.name = 'GroveConnectionError';
    this.operation = init.operation;
    this.fault = init.fault;
  }
}

const faultTexts = {
  unsent: 'could not connect to the server',
  lost: 'the connection was lost before the answer arrived',
  timeout: 'the server did not answer in time',
} as const;

/** `isGroveError(e, 130)` narrows the type and compares the code in one step. */
export function isGroveError(error: unknown, code?: number): error is GroveError {
  return error instanceof GroveError && (code === undefined || error.code === code);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
