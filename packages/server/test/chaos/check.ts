import type pg from 'pg';
import type { History } from './load.ts';

/** Compares the content of the database with what was acknowledged. */
export type Verdict = { acknowledged: number; losses: string[]; duplicates: string[]; twice: number };

export type Facts = {
  /** Runs a statement of a superuser in the database of the installation. */
  ask(statement: string): Promise<pg.QueryResult>;
  /** Ids of the instances whose creation was sent to receivers of webhooks, each with the ids of the deliveries. */
  deliveries: ReadonlyMap<string, ReadonlySet<string>>;
  requests: number;
};

export async function checkHistory(
  history: History,
  { ask, deliveries: deliveryIds, requests }: Facts,
): Promise<Verdict> {
  const rows = async <R>(statement: string) => (await ask(statement)).rows as R[];
  const present = new Set((await rows<{ id: string }>('SELECT id FROM process_instances')).map(({ id }) => id));
  const tombstones = await rows<{ id: string }>('SELECT instance_id AS id FROM instance_tombstones');
  const losses: string[] = [];
  const duplicates: string[] = [];
  for (const [key, id] of history.created) {
    if (!present.has(id) && !history.deleted.has(id) && history.unsure.length === 0) losses.push(`instance ${key}`);
    if (!deliveryIds.has(id)) losses.push(`webhook of ${key}`);
  }
  for (const id of history.deleted) if (present.has(id)) losses.push(`deletion of ${id}`);
  if (new Set(history.created.values()).size < history.created.size) duplicates.push('one instance for two keys');
  const more = present.size + tombstones.length - history.created.size;
  if (more > history.unsure.length) duplicates.push(`${more} instances that nobody was told of`);
  const counters = await rows<{ id: string; counter: number; description: string | null }>(`SELECT id, description,
    CAST(counter + coalesce((SELECT sum(value) FROM counters c
      WHERE c.tenant_id = t.tenant_id AND c.name = 'processTokenUses/' || t.id), 0) AS INTEGER) AS counter
    FROM process_tokens t`);
  for (const { id, counter, description } of counters) {
    const uses = history.uses.get(id) ?? 0;
    if (counter < uses) losses.push(`${uses - counter} uses of a token`);
    if (counter > uses + history.unsure.length) duplicates.push(`${counter - uses} uses of a token`);
    const described = history.described.get(id);
    if (described !== undefined && described !== description && history.unsure.length === 0) losses.push('an update');
  }
  const deliveries = [...deliveryIds.values()].reduce((sum, ids) => sum + ids.size, 0);
  if (deliveries > deliveryIds.size)
    duplicates.push(`${deliveries - deliveryIds.size} deliveries of one event under two ids`);
  return { acknowledged: history.acknowledgedAt.length, losses, duplicates, twice: requests - deliveries };
}
