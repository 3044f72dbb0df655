import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Result } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { Tag } from './badges.tsx';
import { Moment } from './moment.tsx';

type TokenRow = Result<'processTokens', 'list'>['content'][number];

export function usesOf({ counter, maxCount, type }: TokenRow): string {
  return type === 'MULTI_USE_COUNT_LIMITED' ? `${counter} / ${maxCount}` : String(counter);
}

/** The limits of a start link, and its parameters for each verification. */
export function TokenFacts({ token }: { token: TokenRow }) {
  const t = useT();
  const { type, notBeforeDtm, notAfterDtm, maxProcessDuration, forTest, parameters = {} } = token;
  const facts: [label: string, value: ReactNode, isDeprecated?: true][] = [
    [t('tokens.type'), t(`tokens.${type}`)],
    [t('tokens.used'), usesOf(token)],
  ];
  if (notBeforeDtm) facts.push([t('list.from'), <Moment key="from" at={notBeforeDtm} />]);
  if (notAfterDtm) facts.push([t('keys.expires'), <Moment key="to" at={notAfterDtm} />]);
  for (const [name, value] of Object.entries(parameters)) facts.push([name, <bdi key={name}>{value}</bdi>]);
  // Earlier clients still send these; new links do not have them.
  if (maxProcessDuration) facts.push(['maxProcessDuration', maxProcessDuration, true]);
  if (forTest !== undefined) facts.push(['forTest', String(forTest), true]);
  return (
    <Table withTableBorder>
      <Table.Tbody>
        {facts.map(([label, value, isDeprecated]) => (
          <Table.Tr key={label}>
            <Table.Td className="wrap">
              {label} {isDeprecated && <Tag tone="wait">{t('tokens.deprecated')}</Tag>}
            </Table.Td>
            <Table.Td className="wrap">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
