import { api } from '@grove/contract';
import { type Audit, changedBy } from '../../audit/audit.ts';
import { getPersonalSeal, type TenantReads, type TenantTx } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { ensureUnredacted, ensureVisible } from '../instances/ensure-visible.ts';
import { findInstanceForUpdate, findInstanceView } from '../instances/process-instances.repository.ts';
import { addNote, countNotes, mentionsOf, type NoteRow, pageMentions, pageNotes } from './notes.repository.ts';

/** Notes of reviewers to each other about an instance. They are deleted with the instance. */
export type NotesDeps = {
  audit: Pick<Audit, 'noteRead' | 'record'>;
  /** The names of those operators who can sign in. */
  operatorNames(db: TenantReads, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  tellOperator: TellOperator;
};

/** Notifies an operator of a case. */
export type TellOperator = (
  tx: TenantTx,
  message: {
    occasion: 'ASSIGNED' | 'MENTIONED';
    operatorId: string;
    callerId: string;
    instanceId: string;
    environment: 'live' | 'test';
    language: string | undefined;
  },
) => Promise<void>;

const MAX_NOTES_PER_INSTANCE = 1000;
const IN_ORDER = { id: 'id', createdDtm: 'id' } as const;
const placeOf = (id: string) => `note:${id}`;

export function noteHandlers(deps: NotesDeps) {
  const { audit } = deps;
  return {
    instanceNotes: implement(api.instanceNotes, {
      async list(context, { params, query }) {
        const page = paging(query, IN_ORDER);
        const { id } = ensureUnredacted(
          ensureVisible(context, await findInstanceView(context.db, params.processInstanceId)),
        );
        const { rows, total } = await pageNotes(context.db, id, page);
        audit.noteRead(context, { action: 'note.read', instanceId: id });
        return toPage(await toNotes(deps, context.db, rows), total, page);
      },

      add: (context, { params, body }) =>
        context.db.write(async (tx) => {
          const { now, principal } = context;
          const { id: instanceId, environment } = ensureUnredacted(
            ensureVisible(context, await findInstanceForUpdate(tx, params.processInstanceId)),
          );
          if ((await countNotes(tx, { instance_id: instanceId })) >= MAX_NOTES_PER_INSTANCE) throw new ApiError(100065);
          const mentions = [...new Set(body.mentions ?? [])];
          const names = await deps.operatorNames(tx, mentions);
          const at = mentions.findIndex((each) => !names.has(each));
          if (at >= 0) throw invalidInput({ pointer: `/mentions/${at}`, message: 'is not an active operator' });
          const id = newId(now);
          const sealed = (await getPersonalSeal(tx)).seal(placeOf(id), body.text);
          const row = { id, instance_id: instanceId, environment, at: now, author: actor(principal), sealed };
          await addNote(tx, row, mentions);
          await audit.record(tx, { ...changedBy(context), action: 'note.added', instanceId, item: id });
          const { callerId } = principal;
          const message = {
            occasion: 'MENTIONED',
            callerId,
            instanceId,
            environment,
            language: body.language,
          } as const;
          // In one order: mails to each of them are counted, and two notes must not wait for each other.
          for (const operatorId of mentions.toSorted()) await deps.tellOperator(tx, { ...message, operatorId });
          const [note] = await toNotes(deps, tx, [row]);
          return note as NonNullable<typeof note>;
        }),
    }),

    noteMentions: implement(api.noteMentions, {
      async list(context, { query }) {
        const { db, principal } = context;
        const page = paging(query, IN_ORDER);
        if (!principal.operator) return toPage([], 0, page);
        const { rows, total } = await pageMentions(db, principal.callerId, principal.environment, page);
        for (const { instance_id } of rows) audit.noteRead(context, { action: 'note.read', instanceId: instance_id });
        return toPage(await toNotes(deps, db, rows), total, page);
      },
    }),
  };
}

/** The notes of an instance, for the archive of a person. */
export async function notesOf(db: TenantReads, instanceId: string) {
  const all = { number: 0, size: MAX_NOTES_PER_INSTANCE, offset: 0, sorts: 0, orderBy: 'id ASC' };
  const { rows } = await pageNotes(db, instanceId, all);
  const seal = await getPersonalSeal(db);
  return rows.map(({ id, at, author, sealed }) => ({
    createdDtm: toDtm(at),
    author,
    text: seal.open(placeOf(id), sealed),
  }));
}

async function toNotes(deps: NotesDeps, db: TenantReads, rows: readonly NoteRow[]) {
  if (rows.length === 0) return [];
  const mentions = await mentionsOf(
    db,
    rows.map(({ id }) => id),
  );
  const names = await deps.operatorNames(db, [...new Set([...mentions.values()].flat())]);
  const seal = await getPersonalSeal(db);
  return rows.map(({ id, instance_id, at, author, sealed }) => ({
    id,
    processInstanceId: instance_id,
    author,
    createdDtm: toDtm(at),
    text: seal.open(placeOf(id), sealed),
    mentions: (mentions.get(id) ?? []).map((operatorId) => ({ operatorId, name: names.get(operatorId) ?? '' })),
  }));
}
