/** What the client needs of an operation at run time, without the schemas, so that the SDK stays small. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The address for each way of naming the user; an operation that is not about a user has only `none`. */
  readonly paths: { readonly id?: string; readonly ext?: string; readonly none?: string };
  /** The credential of the call: a bearer token, or the API key itself. */
  readonly auth: 'bearer' | 'apiKey';
  readonly status: number;
  /** A success has no content. */
  readonly empty?: true;
  readonly page?: true;
  /** The operation creates something, and takes an Idempotency-Key. */
  readonly creates?: true;
  /** The operation takes a JSON body; if the caller gives none, an empty object is sent. */
  readonly body?: true;
  /** The operation takes a file, of the type that the caller names. */
  readonly raw?: true;
  /** The content type of a success that is not JSON. */
  readonly produces?: string;
};

export type Routes = { readonly [group: string]: { readonly [name: string]: Route } };

/** The arguments of a call at run time, after the compiler has checked their types. */
export type LooseArguments = {
  readonly [param: string]: unknown;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly user?: { readonly id?: string; readonly extId?: string };
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};
