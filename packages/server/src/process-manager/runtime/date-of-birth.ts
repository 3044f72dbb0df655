import type { TenantReads } from '../../db/db.ts';
import { documentFacts } from '../engine/document-facts.ts';
import type { Drive } from './drive.ts';

/** The date of birth in the first document of the instance that has one. */
export async function dateOfBirthOf(
  drive: Pick<Drive, 'lookAt'>,
  db: TenantReads,
  instanceId: string,
): Promise<string | undefined> {
  const { state } = (await drive.lookAt(db, instanceId)) ?? {};
  for (const document of Object.values(state?.data.documents ?? {})) {
    // Only the age depends on the time.
    const { dateOfBirth } = documentFacts(document, 0);
    if (dateOfBirth instanceof Date) return dateOfBirth.toISOString().slice(0, 10);
  }
  return undefined;
}
