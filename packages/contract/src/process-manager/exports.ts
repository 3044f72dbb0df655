import { del, get, group, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, Empty, Id, oneOf, personal, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { searchFilters } from './instances.ts';
import { Environment } from './parameters.ts';

/** Long lists of instances as a file, which a job prepares. All of it is ours. */

export const MAX_EXPORT_ROWS = 250_000;
export const EXPORT_HOURS = 24;

const Format = oneOf('CSV', 'JSON');

const { searchString, ...otherFilters } = searchFilters;

const Export = withTitle(
  'Export',
  Type.Object({
    id: Id,
    environment: Environment,
    format: Format,
    state: Type.Unsafe<'RUNNING' | 'DONE' | 'FAILED'>({
      ...oneOf('RUNNING', 'DONE', 'FAILED'),
      description: 'RUNNING: a job looks for the instances. DONE: the file can be downloaded',
    }),
    filters: Type.Object(
      { ...otherFilters, searchString: Type.Optional(personal(Type.String())) },
      { description: 'The filters of the request' },
    ),
    rows: Type.Integer({ description: 'How many instances were found so far' }),
    total: Type.Integer({
      description:
        'How many there were when the export was created. With a search or a range of time, no more than 10,000 are counted',
    }),
    truncated: Type.Boolean({
      description: `Whether instances are missing, because there are more than ${MAX_EXPORT_ROWS}`,
    }),
    createdDtm: DateTime,
    createdBy: Type.String(),
    expiringDtm: Type.String({ ...DateTime, description: 'When the export is deleted' }),
  }),
);

const NewExport = withTitle(
  'NewExport',
  Type.Object({
    format: Type.Optional(Type.Unsafe<'CSV' | 'JSON'>({ ...Format, description: 'Default: CSV' })),
    ...searchFilters,
  }),
);

export const instanceExports = group('/api/process-manager/exports', {
  create: post('', {
    summary: 'Create an export of process instances',
    description:
      `Takes the filters of a search. A job looks for at most ${MAX_EXPORT_ROWS} instances, the newest first; read the ` +
      `export to see its progress. It is deleted after ${EXPORT_HOURS} hours. Needs ` +
      '`ProcessManager:getProcessInstance`, too. An export holds ids alone: personal data are read when it is downloaded.',
    permission: 'ProcessManager:createExport',
    body: NewExport,
    ok: Export,
    status: 202,
    codes: [7, 100065, 100366],
  }),
  list: get('', {
    summary: 'List your own exports',
    description: 'The newest first. An export belongs to the operator or the API key that created it.',
    permission: 'ProcessManager:listExports',
    query: pageQuery({}),
    ok: page(Export),
  }),
  get: get('/{exportId}', {
    summary: 'Get the progress of an export',
    permission: 'ProcessManager:getExport',
    ok: Export,
    codes: [100367],
  }),
  download: post('/{exportId}/file', {
    summary: 'Download an export',
    description:
      'A CSV file with a line of titles, or a JSON array of the items of the list. Instances that were deleted since are ' +
      'left out; the others are shown as they are now.',
    permission: 'ProcessManager:downloadExport',
    destructive: true,
    persons: 'each',
    body: Empty,
    produces: 'application/octet-stream',
    codes: [7, 100366, 100367, 100368],
  }),
  delete: del('/{exportId}', {
    summary: 'Delete an export',
    description: 'An export that is still running ends.',
    permission: 'ProcessManager:deleteExport',
    status: 204,
    codes: [100367],
  }),
});
