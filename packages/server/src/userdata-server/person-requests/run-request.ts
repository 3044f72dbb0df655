import { MAX_FOUND_OF_PERSON } from '@grove/contract';
import type { Audit } from '../../audit/audit.ts';
import type { TenantDb } from '../../db/db.ts';
import type { Scrub } from '../../db/sqlite/scrub.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { type ErasedKind, MAX_IDS_OF_ENTRY } from '../../erasure-log/log-entries.ts';
import { defineJob, type JobDefinition, JobPostponed } from '../../jobs/define-job.ts';
import { UNTIL_ERASED } from '../../jobs/patience.ts';
import { SECOND, toDtm } from '../../kernel/clock.ts';
import type { Platform } from '../../kernel/feature.ts';
import { serveOthers } from '../../kernel/in-slices.ts';
import {
  type CallerIds,
  isAbout,
  type PersonKind,
  type PersonSelectors,
  type PersonSource,
} from '../../kernel/person-source.ts';
import type { SignDocument } from '../../kernel/sign-document.ts';
import { lineOf, openTurns } from '../../kernel/take-turns.ts';
import { countUnderWay } from '../../kernel/under-way.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  addItems,
  changeRequest,
  findRequest,
  type ItemRow,
  itemsOf,
  markErased,
  type PersonRequestRow,
} from './person-requests.repository.ts';

/** `caller` is stored in the audit trail. Jobs of earlier releases have none. */
export type RunRequest = { requestId: string; caller?: CallerIds };

export type RunDeps = Pick<Platform, 'clock' | 'baseUrlOf'> & {
  sources: readonly PersonSource[];
  vault: Pick<Vault, 'openFor' | 'destroySubject'>;
  erasureLog: Pick<ErasureLog, 'writeDown'>;
  /** Removes the blobs of deleted instances and signs their receipts. */
  finishErasures(db: TenantDb, signal?: AbortSignal): Promise<void>;
  scrub: Scrub;
  audit: Pick<Audit, 'record'>;
  sign: SignDocument;
};

/** How many items are searched before the progress is stored. */
const SCANNED_PER_WRITE = 200;
/** How many items are decrypted at once, in a millisecond or two. Then other requests are served. */
const OPENED_AT_ONCE = 10;
/** The searches of an environment decrypt their items one after another. At most ten searches are open. */
const inTurn = openTurns(50);
/** More searches of an environment at once would not end sooner, and would take the places of the tenant's other jobs. */
const MAX_AT_WORK = 2;

export const requestSubject = (requestId: string) => `person-request:${requestId}`;
export const SELECTORS = 'selectors';

/**
 * Searches the personal data of all features in batches, and then erases the items that it found, one at a time. Each
 * batch stores the progress, so a run that was killed continues from there.
 */
export function runRequestJob(deps: RunDeps): JobDefinition<RunRequest> {
  const atWork = countUnderWay();
  return defineJob<RunRequest>({
    kind: 'userdata-server.person-request',
    does: 'finds or erases everything about a person, for a person request',
    ...UNTIL_ERASED,
    async run({ requestId, caller }, { tenant, signal }) {
      const db = tenant();
      const row = await findRequest(db, { id: requestId });
      if (!row) return;
      const line = lineOf(db.tenantId, row.environment);
      // The queue runs the job again in a moment.
      if (atWork.count(line) >= MAX_AT_WORK) throw new JobPostponed();
      const leave = atWork.enter(line);
      try {
        await search(deps, db, requestId, signal);
        await erase(deps, db, { requestId, ...(caller && { caller }) }, signal);
      } finally {
        leave();
      }
    },
  });
}

async function search(deps: RunDeps, db: TenantDb, requestId: string, signal: AbortSignal): Promise<void> {
  let row = await findRequest(db, { id: requestId });
  if (row?.state !== 'SEARCHING' || row.selectors === null) return;
  const opened = await deps.vault.openFor(db, requestSubject(requestId), SELECTORS, row.selectors);
  const selectors = JSON.parse(opened.toString('utf8')) as PersonSelectors;
  for (let source = deps.sources[row.source]; source; source = deps.sources[row.source]) {
    signal.throwIfAborted();
    row = await searchBatch(deps, db, row, { source, selectors });
    if (row.state === 'FAILED') return;
  }
  const after = row;
  const state = row.action === 'ERASE' ? 'ERASING' : 'DONE';
  await db.write(async (tx) => {
    if (state === 'DONE') await deps.vault.destroySubject(tx, requestSubject(requestId));
    await changeRequest(tx, { ...after, state, ...(state === 'DONE' && doneAt(deps.clock.now())) });
  });
}

/** The columns of a request that is done. Its selectors name the person, so they are removed. */
const doneAt = (now: number) => ({ selectors: null, confirmed_at: now });

type Search = { source: PersonSource; selectors: PersonSelectors };

async function searchBatch(
  deps: Pick<RunDeps, 'vault'>,
  db: TenantDb,
  row: PersonRequestRow,
  { source, selectors }: Search,
): Promise<PersonRequestRow> {
  const { ids, scanned, last } = await scan(db, row, { source, selectors });
  const after: PersonRequestRow = {
    ...row,
    searched: row.searched + scanned,
    ...(last === undefined ? { source: row.source + 1, after_id: '' } : { after_id: last }),
  };
  return db.write(async (tx) => {
    await addItems(tx, row.id, source.kind, ids);
    const itemCount = (await itemsOf(tx, { requestId: row.id, limit: MAX_FOUND_OF_PERSON + 1 })).length;
    const failed = itemCount > MAX_FOUND_OF_PERSON;
    const stored = failed ? { ...after, state: 'FAILED' as const, reason: TOO_MANY, selectors: null } : after;
    // The request has ended, so the data that names the person is made unreadable.
    if (failed) await deps.vault.destroySubject(tx, requestSubject(row.id));
    await changeRequest(tx, stored);
    return stored;
  });
}

/** Returns the ids of the items about the person, and the id of the last item that was searched, if there was one. */
async function scan(db: TenantDb, { environment, after_id }: PersonRequestRow, { source, selectors }: Search) {
  const ids: string[] = [];
  let scanned = 0;
  let last: string | undefined;
  for (let more = true; more && scanned < SCANNED_PER_WRITE; ) {
    await inTurn(lineOf(db.tenantId, environment), async () => {
      const page = await source.page(db, environment, last ?? after_id, OPENED_AT_ONCE);
      ids.push(...page.filter((item) => isAbout(item, selectors)).map(({ id }) => id));
      scanned += page.length;
      last = page.at(-1)?.id ?? last;
      more = page.length > 0;
      await serveOthers(db);
    });
  }
  return { ids, scanned, last };
}

const TOO_MANY = `more than ${MAX_FOUND_OF_PERSON} items were found: this is not one person`;

/** The kinds of items that go into the erasure log, with their names there. Instances are logged with their own receipts. */
const LOGGED_KINDS: Readonly<Partial<Record<PersonKind, ErasedKind>>> = {
  user: 'user',
  watchlistMember: 'watchlist-member',
  processToken: 'process-token',
};

async function erase(
  deps: RunDeps,
  db: TenantDb,
  { requestId, caller = {} }: RunRequest,
  signal: AbortSignal,
): Promise<void> {
  const row = await findRequest(db, { id: requestId });
  if (row?.state !== 'ERASING') return;
  const items = await itemsOf(db, { requestId, limit: MAX_FOUND_OF_PERSON });
  const at = deps.clock.now();
  for (const source of deps.sources) {
    for (const item of items.filter(({ kind, erased }) => kind === source.kind && erased === 0)) {
      signal.throwIfAborted();
      await source.erase(db, item.item_id, { by: row.created_by, caller, at, requestId });
      await db.write((tx) => markErased(tx, { requestId, ...item }));
    }
  }
  await writeDown(deps, db, items);
  await deps.finishErasures(db, signal);
  await deps.scrub();
  const confirmedAt = deps.clock.now();
  const claims = receiptClaims(row, items, { issuer: deps.baseUrlOf(db.tenantId), tenantId: db.tenantId, confirmedAt });
  const { jws } = await deps.sign.claims('grove-person-erasure+jwt', claims);
  await db.write(async (tx) => {
    const { environment, created_by: actor } = row;
    await deps.vault.destroySubject(tx, requestSubject(requestId));
    await changeRequest(tx, { ...row, state: 'DONE', ...doneAt(confirmedAt), receipt: jws });
    const change = { action: 'person.erased', environment, actor, at: confirmedAt, item: requestId } as const;
    await deps.audit.record(tx, { ...change, ...caller });
  });
}

/** Writes the items into the erasure log before a receipt is signed: otherwise a restored backup would bring them back. */
async function writeDown({ erasureLog }: RunDeps, db: TenantDb, items: readonly ItemRow[]): Promise<void> {
  for (const [kind, loggedKind] of Object.entries(LOGGED_KINDS)) {
    const ids = items.filter((item) => item.kind === kind).map(({ item_id }) => item_id);
    for (let from = 0; from < ids.length; from += MAX_IDS_OF_ENTRY) {
      const some = ids.slice(from, from + MAX_IDS_OF_ENTRY);
      await erasureLog.writeDown({ tenantId: db.tenantId, kind: loggedKind, ids: some });
    }
  }
}

type Receipt = { issuer: string; tenantId: string; confirmedAt: number };

/** The content of the receipt: ids and numbers, from which only the caller can tell who the person is. */
function receiptClaims(row: PersonRequestRow, items: readonly ItemRow[], { issuer, tenantId, confirmedAt }: Receipt) {
  return {
    iss: issuer,
    aud: tenantId,
    sub: row.id,
    iat: Math.floor(confirmedAt / SECOND),
    ...(row.reference !== null && { reference: row.reference }),
    environment: row.environment,
    requestedDtm: toDtm(row.created_at),
    requestedBy: row.created_by,
    searched: row.searched,
    erased: byKind(items),
    confirmedDtm: toDtm(confirmedAt),
  };
}

export function byKind(items: readonly ItemRow[]) {
  const of = (kind: PersonKind) => items.filter((item) => item.kind === kind).map(({ item_id }) => item_id);
  return {
    processInstances: of('processInstance'),
    processTokens: of('processToken'),
    users: of('user'),
    watchlistMembers: of('watchlistMember'),
  };
}
