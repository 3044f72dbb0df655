import { catalogue, type ErrorCode } from '@grove/contract';

export type FieldFault = { pointer: string; message: string };

type Detail = {
  /** Added to the catalogue's message, for the caller. Never holds personal data or secrets. */
  detail?: string;
  errors?: FieldFault[];
  retryAfterSeconds?: number;
  /** The user as it is now, where an authentication was refused. */
  user?: object;
  /** Whose link it is, where a link opens no journey. */
  link?: { tenantName: string; returnUrl?: string };
  /** For our log only. */
  log?: string;
  cause?: unknown;
};

/** The request cannot be served: the transaction rolls back and the caller gets a problem with this code. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: Detail;

  constructor(code: ErrorCode, detail: Detail = {}) {
    const { message, status } = catalogue[code];
    super(detail.detail ? `${message}: ${detail.detail}` : message, detail.cause ? { cause: detail.cause } : undefined);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.detail = detail;
  }
}

/** Bad input, with the place of each fault. */
export function invalidInput(...errors: FieldFault[]): ApiError {
  const [first] = errors;
  return new ApiError(100001, { errors, ...(first && { detail: `${first.pointer} ${first.message}` }) });
}

/** For work on an instance that may have been deleted in the meantime: then there is nothing left to do. */
export function isGone(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 100022) return undefined;
  throw error;
}
