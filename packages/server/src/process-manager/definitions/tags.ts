import { api } from '@grove/contract';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Handlers, implement } from '../../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import type { DefinitionView } from './definitions.repository.ts';
import { findDefinition } from './definitions.repository.ts';
import { lockedDefinition } from './store-version.ts';
import {
  countTags,
  findTag,
  pageTags,
  putTag,
  removeTag,
  SORTABLE_TAGS,
  type TagRow,
  tagsOf,
} from './tags.repository.ts';

/** Tags: names that can be moved from one version to another, so that what is bound to them moves, too. */
const MAX_TAGS_OF_A_DEFINITION = 100;
const MAX_TAGS_PER_TENANT = 1000;

const { listTags, addTag, removeTag: removeTagOperation } = api.processDefinitions;
const operations = { listTags, addTag, removeTag: removeTagOperation };

export function tagHandlers(): Handlers<typeof operations> {
  return implement(operations, {
    async listTags(context, { query }) {
      const page = paging(query, SORTABLE_TAGS);
      const { rows, total } = await pageTags(context.db, likePattern(query.name, '/query/name'), page);
      const tags = rows.map((row) => view(row, { name: row.definition_name, version: row.definition_version }));
      return toPage(tags, total, page);
    },

    async addTag({ db, now, principal }, { params, body: { name } }) {
      return db.write(async (tx) => {
        const definition = await lockedDefinition(tx, params.processDefinitionId);
        if (definition.status !== 'DEPLOYED_ACTIVE') {
          throw new ApiError(100047, { detail: 'only a version that is deployed can bear a tag' });
        }
        const before = await findTag(tx, name);
        // What is there already stays as it is, and says who put it there.
        if (before?.definition_id === definition.id) return view(before, definition);
        if ((await tagsOf(tx, definition.id)).length >= MAX_TAGS_OF_A_DEFINITION) {
          throw new ApiError(100065, { detail: `the version bears ${MAX_TAGS_OF_A_DEFINITION} tags` });
        }
        if (!before && (await countTags(tx)) >= MAX_TAGS_PER_TENANT) {
          throw new ApiError(100065, { detail: `there are ${MAX_TAGS_PER_TENANT} tags` });
        }
        const tag: TagRow = {
          name,
          name_folded: fold(name),
          definition_id: definition.id,
          created_at: now,
          created_by: actor(principal),
        };
        await putTag(tx, tag);
        return view(tag, definition);
      });
    },

    async removeTag({ db }, { params: { processDefinitionId, tagName } }) {
      await db.write(async (tx) => {
        if (!(await findDefinition(tx, processDefinitionId))) throw new ApiError(100023);
        if (!(await removeTag(tx, tagName, processDefinitionId))) throw new ApiError(100063);
      });
      return undefined;
    },
  });
}

function view(tag: TagRow, { name, version }: Pick<DefinitionView, 'name' | 'version'>) {
  return {
    name: tag.name,
    processDefinitionId: tag.definition_id,
    processDefnName: name,
    processDefnVersion: version,
    createdDtm: toDtm(tag.created_at),
    createdBy: tag.created_by,
  };
}
