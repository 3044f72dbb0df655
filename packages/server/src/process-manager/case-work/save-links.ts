import { getPersonalSeal, type TenantTx } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import { normaliseEmail, normaliseNumber } from '../../kernel/normalise-value.ts';
import type { State } from '../engine/state.ts';
import { documentNumbersIn, emailsIn } from '../engine/steps/listed-values.ts';
import { addLink, type LinkedInstance, type LinkKind, type LinkRow, linksOf, removeLink } from './links.repository.ts';

/** Links instances of one person: values that they share are stored as keyed hashes when they become known. */

type Value = { kind: LinkKind; value: string };

const MAX_VALUES = 50;

function valuesIn(state: State): Value[] {
  const documents = Object.keys(state.data.documents).flatMap((key) => documentNumbersIn(state, key));
  const of = (kind: LinkKind, texts: readonly (string | undefined)[]) =>
    [...new Set(texts)].flatMap((value) => (value === undefined ? [] : [{ kind, value }]));
  return [
    ...of('DOCUMENT_NUMBER', documents.map(normaliseNumber)),
    ...of('EMAIL', emailsIn(state).map(normaliseEmail)),
    ...of('PHONE', [phoneOf(state.params.phoneNumber)]),
  ].slice(0, MAX_VALUES);
}

const MIN_PHONE_DIGITS = 6;

function phoneOf(text: string | undefined): string | undefined {
  const digits = (text ?? '').replace(/\D/g, '').replace(/^00/, '');
  return digits.length >= MIN_PHONE_DIGITS ? digits : undefined;
}

/**
 * Called in the transaction that stores the data. `before` is the state for which the links were stored, if there was one.
 * Links of corrected values are removed.
 */
export async function saveLinks(
  tx: TenantTx,
  instance: LinkedInstance,
  before: State | undefined,
  after: State,
): Promise<void> {
  const values = valuesIn(after);
  const valuesBefore = before ? valuesIn(before) : [];
  if (before && JSON.stringify(values) === JSON.stringify(valuesBefore)) return;
  const seal = await getPersonalSeal(tx);
  const links: LinkRow[] = values.map(({ kind, value }) => ({ kind, code: seal.hashOf('links', `${kind} ${value}`) }));
  const isIn = (rows: readonly LinkRow[], { kind, code }: LinkRow) =>
    rows.some((row) => row.kind === kind && row.code === code);
  const stored = valuesBefore.length > 0 ? await linksOf(tx, { instanceId: instance.id }) : [];
  for (const row of stored)
    if (OF_VALUES.includes(row.kind) && !isIn(links, row))
      removeLink(tx, { ...instance, ...row, instanceId: instance.id });
  for (const row of links) if (!isIn(stored, row)) await addLink(tx, instance, row);
}

const OF_VALUES: readonly LinkKind[] = ['DOCUMENT_NUMBER', 'EMAIL', 'PHONE'];

/** Links two instances that were opened in the same browser. */
export async function linkDevice(tx: TenantTx, instance: LinkedInstance, other: LinkedInstance, now: number) {
  if (instance.environment !== other.environment || instance.id === other.id) return;
  const deviceLink = (await linksOf(tx, { instanceId: other.id })).find(({ kind }) => kind === 'DEVICE');
  const device: LinkRow = deviceLink ?? { kind: 'DEVICE', code: newId(now) };
  if (!deviceLink) await addLink(tx, other, device);
  await addLink(tx, instance, device);
}

/** Links two instances with the same face, as far as a machine can tell. */
export async function linkFaces(tx: TenantTx, instance: LinkedInstance, otherId: string, score: number): Promise<void> {
  const code = [instance.id, otherId].toSorted().join('.');
  for (const id of [instance.id, otherId]) await addLink(tx, { ...instance, id }, { kind: 'FACE', code }, score);
}
