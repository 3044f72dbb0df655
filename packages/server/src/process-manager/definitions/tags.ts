import { api } from '@grove/contract';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import { isSeenFrom } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { type Handlers, implement } from '../../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import { pathNameFault } from '../../kernel/path-name.ts';
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

/** A tag is a name that can be moved from one version to another. Tokens that are bound to the tag follow it. */
const MAX_TAGS_OF_A_DEFINITION = 100;
const MAX_TAGS = 1000;

const { listTags, addTag, removeTag: removeTagOperation } = api.processDefinitions;
const operations = { listTags, addTag, removeTag: removeTagOperation };

export function tagHandlers(): Handlers<typeof operations> {
  return implement(operations, {
    async listTags(context, { query }) {
      const page = paging(query, SORTABLE_TAGS);
      const { rows, total } = await pageTags(
        context.db,
        { environment: context.principal.environment, pattern: likePattern(query.name, '/query/name') },
        page,
      );
      const tags = rows.map((row) => view(row, { name: row.definition_name, version: row.definition_version }));
      return toPage(tags, total, page);
    },

    /** A test key may tag a version that live callers use, because only test callers see its tag. */
    async addTag({ db, now, principal }, { params, body: { name } }) {
      const { environment } = principal;
      const fault = pathNameFault('/name', name);
      if (fault) throw invalidInput(fault);
      return db.write(async (tx) => {
        const definition = await lockedDefinition(tx, environment, params.processDefinitionId);
        if (definition.status !== 'DEPLOYED_ACTIVE') {
          throw new ApiError(100047, { detail: 'only a deployed version can have a tag' });
        }
        const before = await findTag(tx, { environment, name });
        // A tag that is already on this version does not change, so its author stays.
        if (before?.definition_id === definition.id) return view(before, definition);
        if ((await tagsOf(tx, environment, definition.id)).length >= MAX_TAGS_OF_A_DEFINITION) {
          throw new ApiError(100065, { detail: `the version already has ${MAX_TAGS_OF_A_DEFINITION} tags` });
        }
        if (!before && (await countTags(tx, { environment })) >= MAX_TAGS) {
          throw new ApiError(100065, { detail: `there are ${MAX_TAGS} tags` });
        }
        const tag: TagRow = {
          environment,
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

    async removeTag({ db, principal: { environment } }, { params: { processDefinitionId, tagName } }) {
      await db.write(async (tx) => {
        const definition = await findDefinition(tx, { id: processDefinitionId });
        if (!definition || !isSeenFrom(environment, definition)) throw new ApiError(100023);
        const removed = await removeTag(tx, { environment, name: tagName, definitionId: processDefinitionId });
        if (!removed) throw new ApiError(100063);
      });
      return undefined;
    },
  });
}

function view(tag: TagRow, { name, version }: Pick<DefinitionView, 'name' | 'version'>) {
  return {
    name: tag.name,
    environment: tag.environment,
    processDefinitionId: tag.definition_id,
    processDefnName: name,
    processDefnVersion: version,
    createdDtm: toDtm(tag.created_at),
    createdBy: tag.created_by,
  };
}
