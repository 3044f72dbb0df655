/** What the address that was opened asks for. Pure. */
export type Entry =
  | { kind: 'code'; code: string }
  | { kind: 'token'; pt: string; tn: string | undefined }
  | { kind: 'instance'; instanceId: string }
  | { kind: 'nothing' };

const INSTANCE_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** `ps` holds the whole address that a redirect gives, with the one-time code inside. */
export function readLink(search: string): Entry {
  const query = new URLSearchParams(search);
  const code = codeIn(query.get('ps'));
  if (code) return { kind: 'code', code };
  const pt = query.get('pt');
  if (pt) return { kind: 'token', pt, tn: query.get('tn') ?? undefined };
  const instanceId = query.get('pi') ?? '';
  return INSTANCE_ID.test(instanceId) ? { kind: 'instance', instanceId } : { kind: 'nothing' };
}

function codeIn(ps: string | null): string | undefined {
  if (!ps) return undefined;
  try {
    return new URL(ps, 'https://any.invalid').searchParams.get('c') ?? undefined;
  } catch {
    return undefined;
  }
}

/** The address of a journey that is under way: it names the instance, and holds nothing that opens it. */
export function addressOf(instanceId: string, search: string): string {
  const lang = new URLSearchParams(search).get('lang');
  return `?${new URLSearchParams({ pi: instanceId, ...(lang && { lang }) })}`;
}
