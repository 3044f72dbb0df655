/** Reads the address by which the page was opened. Pure. */
export type Entry =
  | { kind: 'code'; code: string; instanceId: string | undefined }
  | { kind: 'token'; pt: string; tn: string | undefined }
  | { kind: 'instance'; instanceId: string }
  | { kind: 'nothing' };

/** The relevant parts of `location`. */
type LinkParts = { readonly search: string; readonly hash: string };

const INSTANCE_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The one-time code is in the fragment, after whatever a page of the tenant has there. */
export function readLink({ search, hash }: LinkParts): Entry {
  const query = new URLSearchParams(search);
  const code = new URLSearchParams(hash.slice(1)).get('c') || codeIn(query.get('ps'));
  const namedInstance = query.get('pi') ?? '';
  const instanceId = INSTANCE_ID.test(namedInstance) ? namedInstance : undefined;
  if (code) return { kind: 'code', code, instanceId };
  const pt = query.get('pt');
  if (pt) return { kind: 'token', pt, tn: query.get('tn') ?? undefined };
  return instanceId ? { kind: 'instance', instanceId } : { kind: 'nothing' };
}

/** Reads the code of older links, which have the whole start address in their query. */
function codeIn(ps: string | null): string | undefined {
  if (!ps) return undefined;
  try {
    return new URL(ps, 'https://any.invalid').searchParams.get('c') ?? undefined;
  } catch {
    return undefined;
  }
}

/** The address of an open journey: it names the instance, and holds no secret that opens it. */
export function addressOf(instanceId: string, { search, hash }: LinkParts, more: Record<string, string> = {}): string {
  const lang = languageIn({ search, hash });
  return `?${new URLSearchParams({ pi: instanceId, ...(lang && { lang }), ...more })}`;
}

/** Reads the language from the query or the fragment: people who add `&lang=de` to a link add it after the code. */
export function languageIn({ search, hash }: LinkParts): string | null {
  return new URLSearchParams(search).get('lang') ?? new URLSearchParams(hash.slice(1)).get('lang');
}
