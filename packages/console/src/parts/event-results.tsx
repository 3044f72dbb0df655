import { refusals } from 'virtual:grove-codes';
import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Result } from '../api/client.ts';
import { useHints } from '../texts/hints.ts';
import { useT } from '../texts/texts.tsx';
import { Moment } from './moment.tsx';

export type StoreEvent = Result<'events', 'getQueryResult'>['results'][number];

/** All columns of an event, in their order. */
const COLUMNS = [
  'createdDtm',
  'type',
  'storeName',
  'userId',
  'modality',
  'code',
  'rpId',
  'parentProcessInstanceId',
  'parentProcessDefnName',
  'parentProcessDefnVersion',
  'parentProcessDefnId',
  'childProcessDefnName',
  'childProcessDefnVersion',
  'childProcessDefnTag',
  'id',
] as const satisfies readonly (keyof StoreEvent)[];

/** The table shows the first columns that have a value. */
const MAX_COLUMNS = 8;

type Column = (typeof COLUMNS)[number];

/** All columns as CSV lines, named as in the API. */
export function linesOf(rows: readonly StoreEvent[]): (string | number)[][] {
  return [[...COLUMNS], ...rows.map((row) => COLUMNS.map((name) => row[name] ?? ''))];
}

export function EventResults({ rows }: { rows: readonly StoreEvent[] }) {
  const t = useT();
  const hints = useHints();
  const columns = COLUMNS.filter((name) => rows.some((row) => row[name] !== undefined)).slice(0, MAX_COLUMNS);
  const titleOf = (name: Column) => hints?.(name) ?? name;
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table className="list" verticalSpacing="sm">
        <caption className="hidden">{t('events.title')}</caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((name) => (
              <Table.Th key={name}>{titleOf(name)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              {columns.map((name) => (
                <Table.Td key={name} data-title={titleOf(name)}>
                  <Value name={name} row={row} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Shows a verification and a user as links, times in the viewer's zone, and codes with their meaning. */
function Value({ name, row }: { name: Column; row: StoreEvent }) {
  const hints = useHints();
  const value = row[name];
  if (value === undefined) return '–';
  if (name === 'createdDtm') return <Moment at={row.createdDtm} />;
  if (name === 'type') return hints?.(row.type as 'identity.userCreated') ?? row.type;
  const text = String(value);
  const to = addressOf(name, row);
  if (to) {
    return (
      <Anchor component={Link} to={to} size="sm">
        {text}
      </Anchor>
    );
  }
  return (
    <>
      <Text size="sm" className="wrap">
        <bdi>{text}</bdi>
      </Text>
      {name === 'code' && (
        <Text size="xs" c="dimmed" lang="en" dir="ltr">
          {refusals[text]}
        </Text>
      )}
    </>
  );
}

function addressOf(name: Column, { storeName, userId, parentProcessInstanceId, type }: StoreEvent): string | undefined {
  if (name === 'parentProcessInstanceId') return `/instances/${parentProcessInstanceId}`;
  if (name === 'storeName') return `/stores/${encodeURIComponent(storeName)}`;
  if (name === 'userId' && type !== 'identity.userDeleted')
    return `/stores/${encodeURIComponent(storeName)}/users/${userId}`;
  return undefined;
}
