import type { TenantReads } from '../../db/db.ts';
import { isHeaderValue } from '../../engines/outbound/header-rules.ts';
import type { FoundSecret, SecretFault } from './find-secret.ts';
import { secretNames } from './secret-names.ts';

export type FilledHeaders =
  | { readonly headers: Record<string, string>; readonly fault?: undefined }
  | { readonly fault: SecretFault | 'bad_header' };

/** Headers as they are sent: names in small letters, `{secret.NAME}` replaced. Never to be stored or logged. */
export async function fillHeaders(
  db: TenantReads,
  templates: Readonly<Record<string, string>>,
  findSecret: (db: TenantReads, name: string) => Promise<FoundSecret>,
): Promise<FilledHeaders> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(templates)) {
    let text = value;
    for (const secretName of secretNames(value)) {
      const { secret, fault } = await findSecret(db, secretName);
      if (fault) return { fault };
      text = text.replaceAll(`{secret.${secretName}}`, () => secret.reveal());
    }
    if (!isHeaderValue(text)) return { fault: 'bad_header' };
    headers[name.toLowerCase()] = text;
  }
  return { headers };
}
