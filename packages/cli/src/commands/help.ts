import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import { CLIENT_VARIABLES } from '../operator.ts';
import { define, print, type Result, table } from '../output.ts';

export function defineHelp(program: Command): void {
  define(program, 'help', 'help for a command; grove help configuration lists the environment variables')
    .argument('[command...]', 'a command, or configuration')
    .action(async (words: string[], options: { json?: true }) => {
      if (words.length === 1 && words[0] === 'configuration') return print(options, await configuration());
      const command = commandOf(program, words);
      print(options, { value: { help: command.helpInformation() }, text: helpText(command) });
    });
}

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) throw new UsageError(`There is no command ${words.join(' ')}. See grove help.`);
    command = next;
  }
  return command;
}

/** Includes the examples, which commander adds only when it writes the help itself. */
function helpText(command: Command): string {
  let text = '';
  const { writeOut } = command.configureOutput();
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  if (writeOut) command.configureOutput({ writeOut });
  return text;
}

type Variable = { name: string; default: string; about: string };

async function configuration(): Promise<Result> {
  const { VARIABLES } = await import('@grove/server');
  const variables: Variable[] = Object.entries(VARIABLES).map(([name, { default: value, about }]) => ({
    name,
    default: value,
    about,
  }));
  const own = Object.entries(CLIENT_VARIABLES).map(([name, about]) => ({ name, default: '', about }));
  const rows = (list: Variable[]) => list.map((each) => [each.name, each.default || '-', each.about]);
  const text = [
    'Grove is configured by its environment. All of it is checked at the start; a misspelt GROVE_ variable is refused.',
    '',
    table(['VARIABLE', 'DEFAULT', 'WHAT IT IS'], [...rows(variables), ...rows(own)]),
  ];
  return { value: { variables: [...variables, ...own] }, text: text.join('\n') };
}
