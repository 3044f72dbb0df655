import { Anchor, Button, Checkbox, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callLoosely, type Group as GroupName } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { whenUnreachable } from '../api/when-unreachable.ts';
import type { HintTexts } from '../texts/hints/en.ts';
import { useHints } from '../texts/hints.ts';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { saveCsv } from './csv.ts';
import { Empty, Failed, Waiting } from './states.tsx';

/** Shows a list of the server page by page. Filters and the page are in the address, so a list can be linked to. */
export type Column<T> = {
  title: string;
  show(row: T): ReactNode;
  /** The value in the exported file; a column without it is not exported. */
  text?(row: T): string | undefined;
  /** The property by which the server sorts, if it can. */
  sort?: string;
};

export type AnyPage<T> = { content: T[]; totalElements: number; totalPages: number; number: number };

export type ListProps<T> = {
  group: GroupName;
  name: string;
  params?: Record<string, string>;
  query?: Record<string, string | readonly string[] | undefined>;
  /** The part of the query that is no filter of the viewer. */
  scope?: Record<string, string>;
  columns: readonly Column<T>[];
  keyOf(row: T): string;
  /** The address to which a row links. */
  linkOf?(row: T): string;
  label: string;
  empty?: ReactNode;
  actionsOf?(row: T): ReactNode;
  /** Whether a row will change soon; the list is then fetched again after a while. */
  isLive?(rows: readonly T[]): boolean;
  /** The keys of the selected rows, for lists with bulk actions. */
  selection?: { selectedKeys: ReadonlySet<string>; onSelectedKeys(selectedKeys: ReadonlySet<string>): void };
};

const SIZE = 20;
const LIVE_MS = 1500;
const MAX_EXPORTED_PAGES = 50;
const EXPORT_SIZE = 200;

export function usePageNumber(): number {
  const search = useSearch({ strict: false }) as { page?: number };
  return search.page ?? 0;
}

export function List<T>(listProps: ListProps<T>) {
  const { sort } = useSearch({ strict: false }) as { sort?: string };
  const isSortable = listProps.columns.some(
    (column) => column.sort !== undefined && column.sort === sort?.split(',')[0],
  );
  const props = isSortable ? { ...listProps, query: { ...listProps.query, sort } } : listProps;
  const { group, name, params, query, empty } = props;
  const t = useT();
  const environment = useEnvironment();
  const page = usePageNumber();
  const fetched = useQuery({
    queryKey: [environment, group, name, params, { ...props.scope, ...query }, page],
    queryFn: () => callList<T>(props, { page, size: SIZE }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (props.isLive?.(query.state.data?.content ?? []) ? LIVE_MS : whenUnreachable(query)),
  });
  const failure = fetched.isError && <Failed error={fetched.error} retry={() => fetched.refetch()} />;
  if (fetched.isPending) return <Waiting />;
  if (!fetched.data) return failure;
  const { content, totalElements, totalPages } = fetched.data;
  const isFiltered = Object.entries(query ?? {}).some(([filter, value]) => filter !== 'sort' && Boolean(value));
  // The page no longer exists, so the last one is shown.
  if (page > 0 && page >= totalPages) return <Navigate to="." search={toPage(totalPages - 1)} replace />;
  if (content.length === 0) {
    if (fetched.isPlaceholderData) return <Waiting />;
    if (isFiltered) return <Empty title={t('state.emptyFilter')} />;
    return empty ?? <EmptyList of={`${group}.${name}`} />;
  }
  return (
    <>
      {failure}
      <Rows {...props} rows={content} sort={sort} />
      <Group justify="space-between" mt="sm">
        <Text size="sm" c="dimmed" aria-live="polite">
          {t('app.total', { n: totalElements })}
        </Text>
        <Group gap="xs">
          <Export {...props} />
          <Pages page={page} total={totalPages} />
        </Group>
      </Group>
    </>
  );
}

/** Says what the list is for. */
function EmptyList({ of }: { of: string }) {
  const t = useT();
  return (
    <Empty title={t('state.empty')}>
      <Text c="dimmed" ta="center" maw={480}>
        {useHints()?.(of as keyof HintTexts)}
      </Text>
    </Empty>
  );
}

function Rows<T>(props: ListProps<T> & { rows: readonly T[]; sort: string | undefined }) {
  const t = useT();
  const { rows, sort, columns, keyOf, linkOf, label, actionsOf, selection } = props;
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table verticalSpacing="sm" highlightOnHover className="list">
        <caption className="hidden">{label}</caption>
        <Table.Thead>
          <Table.Tr>
            {selection && <Table.Th aria-label={t('list.choose')} />}
            {columns.map((column) => (
              <Head key={column.title} title={column.title} property={column.sort} sort={sort} />
            ))}
            {actionsOf && (
              <Table.Th>
                <span className="hidden">{t('app.menu')}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {selection && (
                <Table.Td className="actions">
                  <RowCheckbox selection={selection} rowKey={keyOf(row)} />
                </Table.Td>
              )}
              {columns.map((column, at) => (
                <Table.Td key={column.title} data-title={column.title}>
                  {at === 0 && linkOf ? (
                    <Anchor component={Link} to={linkOf(row)} fw={600}>
                      {column.show(row)}
                    </Anchor>
                  ) : (
                    column.show(row)
                  )}
                </Table.Td>
              ))}
              {actionsOf && <Table.Td className="actions">{actionsOf(row)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The title of a column. If the server can sort by it, it is a button: ascending, descending, default order. */
function Head({ title, property, sort }: { title: string; property: string | undefined; sort: string | undefined }) {
  const navigate = useNavigate();
  if (!property) return <Table.Th>{title}</Table.Th>;
  const [by, order] = sort?.split(',') ?? [];
  const isBy = by === property;
  const next = !isBy ? `${property},asc` : order === 'asc' ? `${property},desc` : undefined;
  const go = () =>
    navigate({ to: '.', search: (before: object) => ({ ...before, sort: next, page: undefined }) } as never);
  return (
    <Table.Th aria-sort={isBy ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton onClick={go} fw={700} fz="sm">
        {title} <span aria-hidden="true">{isBy ? (order === 'asc' ? '↑' : '↓') : '↕'}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

function RowCheckbox({ selection, rowKey }: { selection: NonNullable<ListProps<never>['selection']>; rowKey: string }) {
  const t = useT();
  const { selectedKeys, onSelectedKeys } = selection;
  return (
    <Checkbox
      size="xs"
      aria-label={`${t('list.choose')} ${rowKey}`}
      checked={selectedKeys.has(rowKey)}
      onChange={(event) => {
        const next = new Set(selectedKeys);
        if (event.currentTarget.checked) next.add(rowKey);
        else next.delete(rowKey);
        onSelectedKeys(next);
      }}
    />
  );
}

function callList<T>(props: ListProps<T>, window: { page: number; size: number }): Promise<AnyPage<T>> {
  const { group, name, params, query, scope } = props;
  return callLoosely(group, name, { ...(params && { params }), query: { ...scope, ...query, ...window } }) as Promise<
    AnyPage<T>
  >;
}

/** Links to another page of the same list. */
function toPage(page: number): never {
  return ((before: object) => ({ ...before, page: Math.max(page, 0) || undefined })) as never;
}

function Pages({ page, total }: { page: number; total: number }) {
  const t = useT();
  const navigate = useNavigate();
  if (total <= 1) return null;
  const go = (next: number) => navigate({ to: '.', search: toPage(next) });
  return (
    <Group gap={4}>
      <Button size="xs" variant="default" disabled={page === 0} onClick={() => go(page - 1)}>
        {t('app.previous')}
      </Button>
      <Button size="xs" variant="default" disabled={page >= total - 1} onClick={() => go(page + 1)}>
        {t('app.next')}
      </Button>
    </Group>
  );
}

/** Exports all pages of the list as a file. It shows the progress, and whether rows had to be left out. */
function Export<T>(props: ListProps<T>) {
  const t = useT();
  const [numRows, setNumRows] = useState(0);
  const act = useAct(
    () => exportRows(props, setNumRows),
    ({ rows, isWhole }) => isWhole || say(t('list.cut', { n: rows })),
  );
  return (
    <Button size="xs" variant="default" onClick={() => act.mutate(undefined)} disabled={act.isPending}>
      {act.isPending ? t('list.exporting', { n: numRows }) : t('app.export')}
    </Button>
  );
}

async function exportRows<T>(props: ListProps<T>, onRows: (rows: number) => void) {
  const columns = props.columns.filter(({ text }) => text !== undefined);
  const lines = [columns.map(({ title }) => title)];
  let isWhole = false;
  for (let page = 0; page < MAX_EXPORTED_PAGES && !isWhole; page += 1) {
    const { content, totalPages } = await callList<T>(props, { page, size: EXPORT_SIZE });
    for (const row of content) lines.push(columns.map(({ text }) => text?.(row) ?? ''));
    isWhole = page >= totalPages - 1;
    onRows(lines.length - 1);
  }
  saveCsv(props.name, lines);
  return { rows: lines.length - 1, isWhole };
}
