import type { TenantDb } from '../packages/server/src/db/db.ts';
import { newId } from '../packages/server/src/kernel/ids.ts';
import { fold } from '../packages/server/src/kernel/pages.ts';
import { findDeployed } from '../packages/server/src/process-manager/definitions/definitions.repository.ts';
import { createFromToken } from '../packages/server/src/process-manager/tokens/create-from-token.ts';
import { addToken } from '../packages/server/src/process-manager/tokens/process-tokens.repository.ts';

export const DEFINITION = 'document-only';

/** A process token, and an instance made from it. */
export type SeededProcess = { tokenId: string; instanceId: string };

/** Creates a token without a limit of uses, and an instance from it. */
export async function seedProcess(db: TenantDb): Promise<SeededProcess> {
  const now = Date.now();
  const definition = await findDeployed(db, { environment: 'live', name: DEFINITION });
  if (!definition) throw new Error(`a new tenant should come with the definition ${DEFINITION}`);
  const tokenId = newId(now);
  const name = 'Measured token';
  return db.write(async (tx) => {
    await addToken(tx, {
      id: tokenId,
      environment: 'live',
      name,
      name_folded: fold(name),
      description: null,
      process_defn_name: definition.name,
      process_defn_version: definition.version,
      process_defn_tag: null,
      definition_id: definition.id,
      ui_url: null,
      status: 'ACTIVE',
      type: 'UNLIMITED',
      not_before_at: null,
      not_after_at: null,
      max_count: null,
      counter: 0,
      max_process_duration: 'PT48H',
      for_test: null,
      parameters: JSON.stringify(applicant(0)),
      created_at: now,
      created_by: 'Bench',
      last_updated_at: now,
      last_updated_by: 'Bench',
    });
    const from = { tokenId, environment: 'live', now, baseUrl: 'http://bench.fir.localhost' } as const;
    const { row } = await createFromToken(tx, from);
    return { tokenId, instanceId: row.id };
  });
}

const FIRST_NAMES = 1000;
const LAST_NAMES = 10_000;
const SYLLABLES = ['ba', 'de', 'fi', 'go', 'hu', 'ka', 'le', 'mi', 'no', 'ru'];

/** A different name for each number below 10,000. */
function nameOf(number: number): string {
  return [...String(number).padStart(4, '0')].map((digit) => SYLLABLES[Number(digit)]).join('');
}

/** Scatters the numbers, so that the first and the last name are independent. */
function scattered(number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) >>> 7;
}

/** Of a million applicants, a hundred share a last name and one or two share both names; each e-mail address is unique. */
export function applicant(number: number): Record<string, string> {
  const firstName = `${nameOf(number % FIRST_NAMES)}an`;
  const lastName = nameOf(scattered(number) % LAST_NAMES);
  const phoneNumber = `+49 170 ${String(number).padStart(7, '0')}`;
  return { firstName, lastName, email: `${firstName}.${number}@mail.example`, phoneNumber };
}
