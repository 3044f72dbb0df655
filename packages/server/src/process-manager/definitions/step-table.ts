import { stepTypes } from '../engine/steps/registry.ts';
import type { StepType } from '../engine/steps/step-type.ts';
import { stepSchema } from './schema.ts';

/** The tables of `docs/definitions.md`, in the style of the formatter. A test compares the page with them. */

/** The members of every step, which the page explains once. */
const COMMON: ReadonlySet<string> = new Set(['id', 'type', 'when', 'next', 'onFail', 'timeout', 'key']);

export function stepTable(): string {
  const rows = [...stepTypes.values()].map((type) => [
    `\`${type.type}\``,
    type.about + (type.unavailable ? ' *Not in this release.*' : ''),
    WHO[type.kind],
    type.keeps ? `\`data.${type.keeps.in}.${type.keeps.defaultKey}\`` : '',
  ]);
  return table(['type', 'what it does', 'who completes it', 'stores its data in, unless `key` says otherwise'], rows);
}

const WHO = { user: 'the end user', server: 'a machine', control: 'the engine' } as const;

type Setting = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
};

export function settingsTable(): string {
  const rows = [...stepTypes.values()].flatMap((type) =>
    settingsOf(type).map(([name, setting, required]) => [
      `\`${type.type}\``,
      `\`${name}\``,
      setting.enum
        ? setting.enum.map((value) => `\`${value}\``).join(', ')
        : [setting.type ?? 'any'].flat().join(' or '),
      required ? '**required**' : setting.default === undefined ? '' : `\`${JSON.stringify(setting.default)}\``,
      setting.description ?? '',
    ]),
  );
  return table(['type', 'setting', 'value', 'default', 'what it is'], rows);
}

function settingsOf(type: StepType): [name: string, setting: Setting, required: boolean][] {
  const { properties, required } = stepSchema(type);
  return Object.entries(properties as Record<string, Setting>)
    .filter(([name]) => !COMMON.has(name))
    .map(([name, setting]) => [name, setting, required.includes(name)]);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cellRows = rows.map((row) => row.map(inCell));
  const widths = head.map((_, column) => Math.max(...[head, ...cellRows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cellRows.map(line)].join('\n');
}

/** Escapes bars, which would end the cell. */
function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
