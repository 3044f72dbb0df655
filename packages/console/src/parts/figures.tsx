import { Button, Group, Progress, Table, Text, Title } from '@mantine/core';
import { useT } from '../texts/texts.tsx';
import { saveCsv } from './csv.ts';

/** A table of figures with a bar beside each row, and its export. */
export type Figure = { label: string; values: readonly number[]; texts?: readonly string[] };
type FiguresProps = {
  title: string;
  /** The titles of the first column and of each value. */
  heads: readonly string[];
  rows: readonly Figure[];
  /** The values in the bar, and their colours. */
  bars?: readonly { at: number; color: string }[];
  name: string;
};

export function Figures({ title, heads, rows, bars = [], name }: FiguresProps) {
  const t = useT();
  const widest = Math.max(1, ...rows.map(({ values }) => bars.reduce((sum, { at }) => sum + (values[at] ?? 0), 0)));
  if (rows.length === 0) return null;
  const save = () =>
    saveCsv(name, [heads, ...rows.map(({ label, values, texts = [] }) => [label, ...values, ...texts])]);
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Button size="compact-xs" variant="default" onClick={save} aria-label={`${t('app.export')}: ${title}`}>
          {t('app.export')}
        </Button>
      </Group>
      <Table className="list" verticalSpacing={4}>
        <caption className="hidden">{title}</caption>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
            {bars.length > 0 && <Table.Th aria-hidden="true" />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ label, values, texts = [] }) => (
            <Table.Tr key={label}>
              <Table.Td data-title={heads[0]}>
                <Text size="sm" fw={600} className="nowrap">
                  <bdi>{label}</bdi>
                </Text>
              </Table.Td>
              {[...values, ...texts].map((value, at) => (
                <Table.Td key={heads[at + 1]} data-title={heads[at + 1]}>
                  {value}
                </Table.Td>
              ))}
              {bars.length > 0 && (
                <Table.Td className="bar" aria-hidden="true">
                  <Progress.Root size="lg" radius="sm">
                    {bars.map(({ at, color }) => (
                      <Progress.Section key={at} value={(100 * (values[at] ?? 0)) / widest} color={color} />
                    ))}
                  </Progress.Root>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
