import type { TenantReads } from '../../db/db.ts';
import { isHeaderValue } from '../../engines/outbound/header-rules.ts';
import type { FoundSecret, SecretFault } from './find-secret.ts';
import { secretNames } from './secret-names.ts';

export type FilledHeaders =
  | { readonly headers: Record<string, string>; readonly fault?: undefined }
  | { readonly fault: SecretFault | 'bad_header' };

/** The limit of all values together: a short header may name a long secret two hundred times. */
const MAX_FILLED_LENGTH = 64 * 1024;

/** The headers to send: names in lower case, `{secret.NAME}` replaced. They must never be stored or logged. */
export async function fillHeaders(
  db: TenantReads,
  templates: Readonly<Record<string, string>>,
  findSecret: (db: TenantReads, name: string) => Promise<FoundSecret>,
): Promise<FilledHeaders> {
  const headers: Record<string, string> = {};
  let room = MAX_FILLED_LENGTH;
  for (const [name, value] of Object.entries(templates)) {
    let text = value;
    for (const secretName of secretNames(value)) {
      const { secret, fault } = await findSecret(db, secretName);
      if (fault) return { fault };
      const parts = text.split(`{secret.${secretName}}`);
      const secretText = secret.reveal();
      if (text.length + (parts.length - 1) * secretText.length > room) return { fault: 'bad_header' };
      text = parts.join(secretText);
    }
    room -= text.length;
    if (!isHeaderValue(text)) return { fault: 'bad_header' };
    headers[name.toLowerCase()] = text;
  }
  return { headers };
}
