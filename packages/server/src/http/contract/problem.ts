import { STATUS_CODES } from 'node:http';
import { DbError } from '../../db/db.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { VISIBLE_NAME_RULE } from '../../kernel/visible-name.ts';

/** Turns an error into the problem that the caller receives (RFC 9457). It holds nothing internal: a bug is "Unexpected error". */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  code: number;
  message: string;
  requestId: string;
  errors?: { pointer: string; message: string }[];
  user?: object;
  link?: object;
};

export function toProblem(error: ApiError, requestId: string): ProblemBody {
  return {
    type: `urn:grove:error:${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    code: error.code,
    message: error.message,
    requestId,
    ...(error.detail.errors && { errors: error.detail.errors }),
    ...(error.detail.user && { user: error.detail.user }),
    ...(error.detail.link && { link: error.detail.link }),
  };
}

type ThrownError = {
  statusCode?: number;
  code?: string;
  message?: string;
  validation?: { instancePath: string; keyword: string; message?: string; params: Record<string, unknown> }[];
  validationContext?: string;
};

/** Turns whatever was thrown into an `ApiError`. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof DbError) return databaseError(thrown);
  const error = thrown as ThrownError;
  if (error?.validation) return validationError(error);
  switch (error?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(100005, { cause: thrown });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError(100002, { detail: 'its length differs from Content-Length', cause: thrown });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(100006, { cause: thrown });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return invalidInput({ pointer: '/path', message: 'is not a valid address' });
    case 'ECONNRESET':
      return new ApiError(100018, { cause: thrown });
    default:
      return new ApiError(1, { cause: thrown });
  }
}

function databaseError(error: DbError): ApiError {
  if (error.fault === 'full') return new ApiError(100020, { cause: error });
  if (error.fault === 'unique') return new ApiError(1, { cause: error, log: 'a unique violation nobody handled' });
  return new ApiError(100010, { cause: error, retryAfterSeconds: 1 });
}

const PREFIX: Record<string, string> = { querystring: '/query', params: '/params', headers: '/headers' };

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'must be a date and time with a time zone, such as 2026-11-17T12:00:00Z',
  date: 'must be a date, such as 2026-11-17',
  duration: 'must be a duration of ISO 8601, such as PT48H or P30D',
  'visible-name': VISIBLE_NAME_RULE,
};

/** Words the messages of the validator like those of all other refusals. */
const SENTENCES: Readonly<Record<string, (params: Record<string, unknown>) => string | undefined>> = {
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  format: ({ format }) => FORMATS[String(format)],
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} character${limit === 1 ? '' : 's'}`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`),
  maxItems: ({ limit }) => `must have at most ${limit} entr${limit === 1 ? 'y' : 'ies'}`,
};

function validationError({ validation = [], validationContext = 'body' }: ThrownError): ApiError {
  const prefix = PREFIX[validationContext] ?? '';
  return invalidInput(
    ...validation.map(({ instancePath, keyword, message = 'is not valid', params }) => {
      if (keyword === 'required') {
        return { pointer: `${prefix}${instancePath}/${String(params.missingProperty)}`, message: 'is required' };
      }
      if (keyword === 'additionalProperties') {
        return { pointer: `${prefix}${instancePath}/${String(params.additionalProperty)}`, message: 'is not known' };
      }
      const sentence = SENTENCES[keyword]?.(params) ?? message;
      return { pointer: `${prefix}${instancePath}` || '/', message: sentence };
    }),
  );
}
