import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { defineApply, defineImport } from './commands/apply.ts';
import { defineBackup } from './commands/backup.ts';
import { defineCompletion } from './commands/completion.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineExport } from './commands/export.ts';
import { defineFaces } from './commands/faces.ts';
import { defineHelp } from './commands/help.ts';
import { defineJobs } from './commands/jobs.ts';
import { defineKeys } from './commands/keys.ts';
import { defineListen } from './commands/listen.ts';
import { defineMigrate } from './commands/migrate.ts';
import { defineMove } from './commands/move.ts';
import { defineOperators } from './commands/operators.ts';
import { definePage } from './commands/page.ts';
import { definePerson } from './commands/person.ts';
import { definePlan } from './commands/plan.ts';
import { defineAudit, defineErase, defineInstances, defineReviews, defineWebhooks } from './commands/records.ts';
import { defineRestore } from './commands/restore.ts';
import { defineRetention } from './commands/retention.ts';
import { defineRotate } from './commands/rotate.ts';
import { defineSimulate } from './commands/simulate.ts';
import { defineSpecimen } from './commands/specimen.ts';
import { defineStart } from './commands/start.ts';
import { defineTenant } from './commands/tenant.ts';
import { defineTrigger } from './commands/trigger.ts';
import { FAILED, failureOf, failureText } from './failure.ts';
import { styled } from './output.ts';

/** `grove` operates a server and calls one. Each command is a file of its own. */
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
const json = process.argv.includes('--json');

const fail = async (error: unknown, help?: string): Promise<number> => {
  const failure = await failureOf(error, help);
  process.stderr.write(failureText(failure, json));
  return failure.exitCode;
};

// Uncaught errors are bugs, so the stack matters more than the message.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(failureText({ exitCode: FAILED, message: `unexpected: ${message}`, stack }, json));
    process.exit(FAILED);
  });
}
// The reader of our output may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const AFTER = `
Getting started:
  grove start                     starts a server, with a demonstration on an empty data folder
  grove tenant create acme        makes a tenant and shows its first API key
  grove doctor                    says what is wrong, and what to do about it
  grove help configuration        the environment variables and their defaults
  grove help keys create          more about a command

Exit codes: 0 done, 1 failed, 2 the command line or the configuration is wrong.
With --json the result is one line of JSON on standard output, and a fault one line {"error": …} on standard error.
`;

const grove = program();
try {
  await grove.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'help']);
} catch (error) {
  // Requested help arrives here, too.
  const isHelp = error instanceof CommanderError && error.exitCode === 0;
  if (!isHelp) process.exitCode = await fail(error, helpFor(grove, process.argv.slice(2)));
}

/** The help command of the deepest subcommand that the words name. */
function helpFor(command: Command, [word, ...others]: readonly string[]): string {
  const next = command.commands.find((each) => each.name() === word);
  return next ? helpFor(next, others).replace('grove help', `grove help ${word}`) : 'grove help';
}

function program(): Command {
  const grove = new Command('grove')
    .description('Grove, an open, self-hosted identity verification service')
    .version(version, '--version', 'show the version')
    .exitOverride()
    .configureOutput({ outputError: () => undefined, ...(json && { writeErr: () => undefined }) })
    .configureHelp({ styleTitle: (title) => styled('bold', title), showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText('after', AFTER);
  for (const each of [
    defineStart,
    defineTenant,
    defineKeys,
    defineOperators,
    defineListen,
    defineTrigger,
    defineInstances,
    defineReviews,
    defineWebhooks,
    defineAudit,
    defineErase,
    definePlan,
    defineApply,
    defineExport,
    defineSimulate,
    defineImport,
    definePage,
    defineRetention,
    definePerson,
    defineJobs,
    defineMigrate,
    defineBackup,
    defineRestore,
    defineMove,
    defineRotate,
    defineFaces,
    defineSpecimen,
    defineDoctor,
    defineCompletion,
    defineHelp,
  ]) {
    each(grove);
  }
  return grove;
}
