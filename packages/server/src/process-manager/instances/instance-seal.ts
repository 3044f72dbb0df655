import { getPersonalSeal, type PersonalSeal, type TenantReads } from '../../db/db.ts';
import { forEachInSlices } from '../../kernel/in-slices.ts';
import type { InstanceRow, InstanceView } from './instance-row.ts';

/** The personal data of an instance's row, sealed together in one column. The other columns are empty then. */
type SealedMembers = [
  firstName: string | null,
  lastName: string | null,
  email: string | null,
  phoneNumber: string | null,
  reviewComment: string | null,
  extendedTerms: string | null,
  name: string | null,
  description: string | null,
  parameters: string,
  /** Missing in rows of earlier releases. */
  externalReference?: string | null,
];

const NO_PARAMETERS = '{}';
const placeOf = (id: string) => `instance:${id}`;

/** The row as it is stored, without personal data. */
export function toStored(seal: PersonalSeal, row: InstanceRow): InstanceRow {
  return {
    ...row,
    first_name: null,
    last_name: null,
    email: null,
    phone_number: null,
    review_comment: null,
    external_reference: null,
    extended_terms: null,
    name: null,
    description: null,
    parameters: NO_PARAMETERS,
    sealed: sealPerson(seal, row),
    terms: JSON.stringify((JSON.parse(row.terms) as string[]).map(seal.code)),
  };
}

export function sealPerson(seal: PersonalSeal, row: InstanceRow): Uint8Array | null {
  const all: SealedMembers = [
    row.first_name,
    row.last_name,
    row.email,
    row.phone_number,
    row.review_comment,
    row.extended_terms,
    row.name,
    row.description,
    row.parameters,
    row.external_reference ?? null,
  ];
  if (all.every((each) => each === null || each === NO_PARAMETERS)) return null;
  return seal.seal(placeOf(row.id), JSON.stringify(all));
}

type SealedRow = Pick<InstanceView, 'id' | 'sealed'> & Partial<InstanceRow>;

/** Restores the members of a stored row. `sealed` stays, for a caller that stores the row again. */
export async function openRow<R extends SealedRow>(db: TenantReads, row: R): Promise<R> {
  if (!row.sealed) return row;
  openInto(row, await getPersonalSeal(db));
  return row;
}

export async function openRows<R extends SealedRow>(db: TenantReads, rows: R[]): Promise<R[]> {
  if (!rows.some(({ sealed }) => sealed)) return rows;
  const seal = await getPersonalSeal(db);
  await forEachInSlices(db, rows, (row) => {
    if (row.sealed) openInto(row, seal);
  });
  return rows;
}

function openInto(row: SealedRow, seal: PersonalSeal): void {
  const all = JSON.parse(seal.open(placeOf(row.id), row.sealed as Uint8Array)) as SealedMembers;
  [row.first_name, row.last_name, row.email, row.phone_number, row.review_comment, row.extended_terms] = all;
  row.external_reference = all[9] ?? null;
  if (row.parameters === undefined) return;
  [, , , , , , row.name, row.description, row.parameters] = all;
}
