import type { TenantReads, TenantTx } from '../db/db.ts';
import { HOUR } from '../kernel/clock.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Headers } from './webhook-rules.ts';
import type { WebhookRow } from './webhooks.table.ts';

/** The sealed parts of a webhook: its signing secrets and the values of its sensitive headers. */
const SUBJECT = 'tenant';
const secretContext = (id: string) => `webhook-secret:${id}`;
const headersContext = (id: string) => `webhook-headers:${id}`;

/** The time after a rotation in which requests are signed with the old secret as well. */
export const OLD_SECRET_MS = 24 * HOUR;

type Sealer = Pick<Vault, 'sealFor'>;

export function sealSecret(vault: Sealer, tx: TenantTx, id: string, secret: Uint8Array): Promise<Uint8Array> {
  return vault.sealFor(tx, SUBJECT, secretContext(id), secret);
}

export async function sealHeaders(vault: Sealer, tx: TenantTx, id: string, headers: Headers) {
  const names = Object.keys(headers);
  const plain = Buffer.from(JSON.stringify(headers));
  return {
    sensitive_names: JSON.stringify(names),
    sensitive_sealed: names.length === 0 ? null : await vault.sealFor(tx, SUBJECT, headersContext(id), plain),
  };
}

/** Opens the sealed parts. `secrets` returns those that sign at a moment, the newest first. */
export async function openWebhook(vault: Pick<Vault, 'openFor'>, db: TenantReads, row: WebhookRow) {
  const open = (context: string, sealed: Uint8Array) => vault.openFor(db, SUBJECT, context, sealed);
  const secret = await open(secretContext(row.id), row.secret_sealed);
  const old = row.old_secret && (await open(secretContext(row.id), row.old_secret));
  const until = row.old_secret_until ?? 0;
  const headers = row.sensitive_sealed && (await open(headersContext(row.id), row.sensitive_sealed));
  return {
    secrets: (now: number): Uint8Array[] => (old && now < until ? [secret, old] : [secret]),
    sensitive: headers ? (JSON.parse(headers.toString()) as Headers) : {},
  };
}
