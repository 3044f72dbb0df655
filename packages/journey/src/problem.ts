export type LinkOwner = { tenantName: string; returnUrl?: string };

/** A refusal of the server, or a request without a response. `requestId` is the reference by which support finds it. */
export class Problem extends Error {
  readonly code: number;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly errors: readonly { pointer: string; message: string }[];
  readonly retryAfterSeconds: number | undefined;
  /** The owner of the link, if a link opened nothing. */
  readonly link: LinkOwner | undefined;

  constructor(detail: {
    code: number;
    status: number;
    message: string;
    requestId?: string | undefined;
    errors?: readonly { pointer: string; message: string }[] | undefined;
    retryAfterSeconds?: number | undefined;
    link?: LinkOwner | undefined;
  }) {
    super(detail.message);
    this.name = 'Problem';
    this.code = detail.code;
    this.status = detail.status;
    this.requestId = detail.requestId;
    this.errors = detail.errors ?? [];
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.link = detail.link;
  }
}

/** There was no response: the network or the server is away. */
export const NO_ANSWER = 0;

export function noAnswer(): Problem {
  return new Problem({ code: NO_ANSWER, status: 0, message: 'no answer' });
}

/** Reads a problem of the server (RFC 9457). A response of a proxy in between is known by its status alone. */
export function readProblem(
  status: number,
  text: string,
  { requestId, retryAfter }: { requestId: string | null; retryAfter: string | null },
): Problem {
  const body = readJson(text);
  const seconds = Number(retryAfter);
  return new Problem({
    code: typeof body.code === 'number' ? body.code : 1,
    status,
    message: typeof body.message === 'string' ? body.message : `status ${status}`,
    requestId: requestId ?? (typeof body.requestId === 'string' ? body.requestId : undefined),
    errors: Array.isArray(body.errors) ? (body.errors as { pointer: string; message: string }[]) : undefined,
    link: typeof body.link === 'object' && body.link !== null ? (body.link as LinkOwner) : undefined,
    retryAfterSeconds: retryAfter !== null && Number.isFinite(seconds) ? seconds : undefined,
  });
}

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
