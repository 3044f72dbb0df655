import { api } from '@grove/contract';
import { toDtm } from '../kernel/clock.ts';
import { EVERY_ID, rangeBehind } from '../kernel/id-range.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { implement } from '../kernel/implement.ts';
import { mapInSlices } from '../kernel/in-slices.ts';
import { firstIdOf } from '../kernel/moment-of.ts';
import { paging, toPage } from '../kernel/pages.ts';
import { type AuditFilter, type AuditRow, countAuditEvents, pageAuditEvents } from './audit.repository.ts';
import type { Audit, AuditAction } from './audit.ts';
import { auditShownSince } from './purge-audit.ts';

/** Shows the tenant its audit events. */
const COUNT_CAP = 10_000;
/** Ids are in the order of time. */
const SORTABLE = { id: 'id', dateTime: 'id' } as const;

export function auditEventHandlers(gatherers: readonly Pick<Audit, 'flush'>[]) {
  return implement(api.auditEvents, {
    async list({ db, principal, now }, { query }) {
      const page = paging(query, SORTABLE);
      const { size, offset, sorts, orderBy } = page;
      const direction = sorts === 0 || orderBy.startsWith('id DESC') ? 'DESC' : 'ASC';
      const first = firstIdAt(auditShownSince(now));
      const from = firstIdOf(query.startDateTime || undefined, '/query/startDateTime') ?? first;
      const filter: AuditFilter = {
        environment: principal.environment,
        from: from > first ? from : first,
        below: firstIdOf(query.endDateTime || undefined, '/query/endDateTime') ?? EVERY_ID.below,
        instanceId: query.processInstanceId || undefined,
        action: query.action,
        apiKeyId: query.apiKeyId || undefined,
        operatorId: query.operatorId || undefined,
      };
      // Pending reads are written first, so that a caller finds its own reads in the list.
      for (const { flush } of gatherers) await flush();
      const range = rangeBehind(filter, { after: page.after, direction });
      const rows = await pageAuditEvents(db, { ...filter, ...range }, { size, offset, direction });
      const total = await countAuditEvents(db, filter, COUNT_CAP);
      return toPage(await mapInSlices(db, rows, toAuditEvent), total, page, rows.at(-1)?.id);
    },
  });
}

function toAuditEvent(row: AuditRow) {
  return {
    id: row.id,
    dateTime: toDtm(row.at),
    action: row.action as AuditAction,
    environment: row.environment,
    actor: row.actor,
    ...(row.api_key_id !== null && { apiKeyId: row.api_key_id }),
    ...(row.operator_id !== null && { operatorId: row.operator_id }),
    ...(row.instance_id !== null && { processInstanceId: row.instance_id }),
    ...(row.item !== null && { item: row.item }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.address !== null && { address: row.address }),
    ...(row.details !== null && { details: JSON.parse(row.details) as object }),
  };
}
