import { catalogue, type ErrorCode } from '@grove/contract';

export type FieldFault = { pointer: string; message: string };

type Detail = {
  /** Added to the catalogue's message, for the caller. Never holds personal data or secrets. */
  detail?: string;
  errors?: FieldFault[];
  retryAfterSeconds?: number;
  /** The current user, where an authentication was refused. */
  user?: object;
  /** The tenant of a link that opens no journey. */
  link?: { tenantName: string; returnUrl?: string };
  /** Written to the log only. */
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

/** Invalid input, with a pointer to each fault. */
export function invalidInput(...errors: FieldFault[]): ApiError {
  const [first] = errors;
  return new ApiError(100001, { errors, ...(first && { detail: `${first.pointer} ${first.message}` }) });
}

/** Swallows the 404 of an instance that was deleted while work on it waited; every other error is thrown again. */
export function isGone(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 100022) return undefined;
  throw error;
}
