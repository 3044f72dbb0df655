import type { Command } from 'commander';

/** What a command found or did, for machines and for people. */
export type Result = {
  value: object;
  text: string;
  /** 0 unless given. */
  exitCode?: number;
};

export type CommonOptions = { json?: true };

/** Every command is declared the same way, so every command has `--json`. */
export function define(parent: Command, usage: string, about: string): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'print the result as one line of JSON on standard output, and nothing else there');
}

/** A word that stands before several commands. */
export function defineGroup(program: Command, name: string, about: string): Command {
  return program.command(name).description(about).helpCommand(false);
}

export function print({ json }: CommonOptions, { value, text, exitCode = 0 }: Result): void {
  process.stdout.write(json ? jsonLine(value) : `${forTerminal(text.trimEnd())}\n`);
  process.exitCode = exitCode;
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}

const ESCAPE = '\u001b[';
const STYLES = { bold: 1, red: 31, green: 32, yellow: 33, dim: 2 } as const;

/** Colour is for a person at a terminal who has not said no (no-color.org). */
export function styled(style: keyof typeof STYLES, text: string): string {
  const hasColour = process.stdout.isTTY && !process.env.NO_COLOR;
  return hasColour ? `${ESCAPE}${STYLES[style]}m${text}${ESCAPE}0m` : text;
}

/** Columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const printableRows = rows.map((row) => row.map(printable));
  const widths = head.map((title, at) => Math.max(title.length, ...printableRows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [styled('bold', line(head)), ...printableRows.map(line)].join('\n');
}

/** Names are given by callers: what would move the cursor, change the colour or the direction is not passed to the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

const ORDER = '[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]';
// Line ends, tabs and what `styled` writes stay.
const OURS = `\\u001b\\[(?:0|${Object.values(STYLES).join('|')})m|[\\n\\t]`;
const FOREIGN_ORDER = new RegExp(`(?!${OURS})${ORDER}`, 'gu');

/** Everything that people read goes through here: a name inside a sentence gives no orders to the terminal either. */
export function forTerminal(text: string): string {
  return text.replace(FOREIGN_ORDER, '\ufffd');
}

/** One line for machines, which a person may read at a terminal: the same JSON, and nothing in it gives orders. */
export function jsonLine(value: unknown): string {
  const escaped = (order: string) => `\\u${order.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value).replace(new RegExp(ORDER, 'gu'), escaped)}\n`;
}
