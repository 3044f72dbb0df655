/** What the address that was opened asks for. Pure. */
export type Entry =
  | { kind: 'code'; code: string; instanceId: string | undefined }
  | { kind: 'token'; pt: string; tn: string | undefined }
  | { kind: 'instance'; instanceId: string }
  | { kind: 'nothing' };

/** The parts of `location` that say something. */
type LinkParts = { readonly search: string; readonly hash: string };

const INSTANCE_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The one-time code stands in the fragment, behind what a page of the tenant may have there. */
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

/** Of links that were sent before codes stood in the fragment: the whole start address. */
function codeIn(ps: string | null): string | undefined {
  if (!ps) return undefined;
  try {
    return new URL(ps, 'https://any.invalid').searchParams.get('c') ?? undefined;
  } catch {
    return undefined;
  }
}

/** The address of a journey that is under way: it names the instance, and holds nothing that opens it. */
export function addressOf(instanceId: string, { search, hash }: LinkParts, more: Record<string, string> = {}): string {
  const lang = languageIn({ search, hash });
  return `?${new URLSearchParams({ pi: instanceId, ...(lang && { lang }), ...more })}`;
}

/** In the query, or behind the code: who adds `&lang=de` to a link adds it there. */
export function languageIn({ search, hash }: LinkParts): string | null {
  return new URLSearchParams(search).get('lang') ?? new URLSearchParams(hash.slice(1)).get('lang');
}
