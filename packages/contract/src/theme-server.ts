import { Type } from 'typebox';
import { get, group } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import { DateTime, Id, named, oneOf } from './schema.ts';

/** Pages of the tenant's own, shown inside a journey (specification 4.11). */

const CustomPage = named(
  'CustomPage',
  Type.Object({
    id: Id,
    name: Type.String(),
    version: Type.Integer(),
    description: Type.Optional(Type.String()),
    status: oneOf('EDITABLE', 'DEPLOYED_ACTIVE', 'ARCHIVED'),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
  }),
);

export const customPages = group('/api/theme-server/customPages', {
  list: get('', {
    summary: 'List custom pages, each in its newest version',
    permission: 'ThemeServer:listCustomPages',
    query: pageQuery({ name: likeFilter('pages whose name') }),
    ok: page(CustomPage),
  }),
  listVersions: get('/{name}/versions', {
    summary: 'List the versions of a custom page',
    permission: 'ThemeServer:listCustomPageVersions',
    query: pageQuery({}),
    ok: page(CustomPage),
    codes: [100042],
  }),
  getArchive: get('/{id}/archive', {
    summary: 'Get the files of a custom page as an archive',
    permission: 'ThemeServer:getCustomPageArchive',
    produces: 'application/zip',
    codes: [100042],
  }),
});
