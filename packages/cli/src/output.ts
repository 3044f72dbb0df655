import type { Command } from 'commander';

/** The result of a command, for machines and for people. */
export type Result = {
  value: object;
  text: string;
  /** 0 by default. */
  exitCode?: number;
};

export type CommonOptions = { json?: true };

/** Declares a command; all commands get `--json` here. */
export function define(parent: Command, usage: string, about: string): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'print the result as one line of JSON on standard output, and nothing else there');
}

/** Declares a word that stands before several commands. */
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

/** Colours only at a terminal, and not with NO_COLOR (no-color.org). */
export function styled(style: keyof typeof STYLES, text: string): string {
  const hasColour = process.stdout.isTTY && !process.env.NO_COLOR;
  return hasColour ? `${ESCAPE}${STYLES[style]}m${text}${ESCAPE}0m` : text;
}

/** Formats columns as wide as their widest cell. */
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

/** Removes control characters and marks of direction: callers choose names, which could control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

const ORDER = '[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]';
// Line ends, tabs and the colours of `styled` stay.
const OURS = `\\u001b\\[(?:0|${Object.values(STYLES).join('|')})m|[\\n\\t]`;
const FOREIGN_ORDER = new RegExp(`(?!${OURS})${ORDER}`, 'gu');

/** All output for people passes through here, so that names inside sentences cannot control the terminal either. */
export function forTerminal(text: string): string {
  return text.replace(FOREIGN_ORDER, '\ufffd');
}

/** Formats JSON on one line and escapes control characters, because a person may read it at a terminal. */
export function jsonLine(value: unknown): string {
  const escaped = (order: string) => `\\u${order.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value).replace(new RegExp(ORDER, 'gu'), escaped)}\n`;
}
