import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import { asOperator, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, defineGroup, examples, print, type Result, table } from '../output.ts';

type KindOption = { kind?: string };

export function defineJobs(program: Command): void {
  const about = 'look after the queue, directly in the data folder or database; the server may be running';
  const jobs = defineGroup(program, 'jobs', about);
  define(jobs, 'list', 'count the jobs by kind and state, with the age of the oldest')
    .addHelpText('after', examples('grove jobs list', 'grove jobs list --json'))
    .action(async (options: CommonOptions) => print(options, await list()));
  define(jobs, 'dead', 'list the dead jobs, the newest first, at most a hundred')
    .option('--kind <kind>', 'only those of this kind')
    .addHelpText('after', examples('grove jobs dead', 'grove jobs dead --kind http.purge-answers --json'))
    .action(async (options: CommonOptions & KindOption) => print(options, await dead(options)));
  define(jobs, 'retry [id]', 'retry a dead job, or all of a kind; a running server begins within a second')
    .option('--kind <kind>', 'all dead jobs of this kind')
    .addHelpText(
      'after',
      examples('grove jobs retry 01JCQ4Z5N8X3T0V7K2M9R6W1YB', 'grove jobs retry --kind http.purge-answers'),
    )
    .action(async (id: string | undefined, options: CommonOptions & KindOption) =>
      print(options, await retry(id, options)),
    );
}

async function list(): Promise<Result> {
  const counts = await asOperator(await operatorConfig(), ({ jobs }) => jobs.counts());
  const jobs = counts.map(({ kind, state, count, oldestAgeMs }) => {
    return { kind, state, count, oldestAgeSeconds: Math.round(oldestAgeMs / 1000) };
  });
  const text =
    jobs.length === 0
      ? 'There are no jobs.'
      : table(
          ['KIND', 'STATE', 'COUNT', 'OLDEST'],
          jobs.map((each) => [each.kind, each.state, String(each.count), `${each.oldestAgeSeconds} s`]),
        );
  return { value: { jobs }, text };
}

async function dead({ kind }: KindOption): Promise<Result> {
  const rows = await asOperator(await operatorConfig(), ({ jobs }) =>
    jobs.listDead(kind === undefined ? {} : { kind }),
  );
  const jobs = rows.map(({ id, kind, owner_tenant_id, attempts, last_error, run_at }) => {
    const diedDtm = new Date(run_at).toISOString();
    return { id, kind, tenantId: owner_tenant_id, attempts, lastError: last_error, diedDtm };
  });
  const text =
    jobs.length === 0
      ? 'There are no dead jobs.'
      : table(
          ['ID', 'KIND', 'TENANT', 'ATTEMPTS', 'DIED', 'ERROR'],
          jobs.map((each) => [
            each.id,
            each.kind,
            each.tenantId ?? '-',
            String(each.attempts),
            each.diedDtm,
            each.lastError ?? '-',
          ]),
        );
  return { value: { jobs }, text };
}

async function retry(id: string | undefined, { kind }: KindOption): Promise<Result> {
  if ((id === undefined) === (kind === undefined)) throw new UsageError('Give the id of a dead job, or --kind');
  const { OperatorError } = await import('@grove/server');
  const retried = await asOperator(await operatorConfig(), async ({ jobs }) => {
    if (id !== undefined) return (await jobs.retryDead(id)) ? 1 : 0;
    let total = 0;
    for (let some = -1; some !== 0; total += some) some = await jobs.retryAllDead(kind as string);
    return total;
  });
  if (id !== undefined && retried === 0) throw new OperatorError(`There is no dead job ${id}`);
  return { value: { retried }, text: retried === 1 ? 'One job will be retried.' : `${retried} jobs will be retried.` };
}
