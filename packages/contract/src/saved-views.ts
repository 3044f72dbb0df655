import { del, get, post } from './operation.ts';
import { DateTime, Id, listOf, nameText, stringMap, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** Lists of the console with their filters, stored under a name. Each operator has their own. */

export const MAX_VIEWS_PER_OPERATOR = 50;

const viewFields = {
  screen: Type.String({ pattern: '^[a-z][a-z-]{0,49}$', maxLength: 50, description: 'The list, such as `reviews`' }),
  name: nameText(1, 50, 'Unique among the views of this list'),
  search: { ...stringMap(20, 500), description: 'The filters, as they are in the address of the list' },
};

const SavedView = withTitle('SavedView', Type.Object({ id: Id, ...viewFields, createdDtm: DateTime }));

/** Rows of the group `consoleAccount`. */
export const savedViews = {
  listViews: get('/views', {
    summary: 'List your own saved views',
    auth: 'operator',
    ok: withTitle('SavedViews', Type.Object({ views: listOf(SavedView, MAX_VIEWS_PER_OPERATOR) })),
    codes: [100210],
  }),
  saveView: post('/views', {
    summary: 'Save a list with its filters',
    description: 'A view of the same list that has the same name is replaced.',
    auth: 'operator',
    body: withTitle('SavedViewInput', Type.Object(viewFields)),
    ok: SavedView,
    codes: [100065, 100067, 100210],
  }),
  deleteView: del('/views/{savedViewId}', {
    summary: 'Delete one of your own saved views',
    auth: 'operator',
    status: 204,
    codes: [100067, 100210, 100363],
  }),
} as const;
