import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { UsageError } from '../failure.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result, table } from '../output.ts';

/** Decides past instances again by another version of their definition. */
type SimulateOptions = ServerOptions & { since: string; list?: true };
type Answer = Awaited<ReturnType<Client['whatIf']['run']>>;
type Total = Pick<Answer, 'examined' | 'counts' | 'changed'>;

const DAY_MS = 86_400_000;
const MAX_LISTED = 100;
const EXAMINED_AT_ONCE = 20_000;

export function defineSimulate(program: Command): void {
  onServer(define(program, 'simulate <file>', 'replay past instances against a definition that is not deployed yet'))
    .option('--since <days>', 'how far back, such as 30d', '30d')
    .option('--list', `list the instances that would have another outcome, at most ${MAX_LISTED}`)
    .addHelpText(
      'after',
      `${examples('grove simulate new.yaml --since 30d', 'grove simulate new.yaml --since 7d --list')}
Instances of definitions of the same name are decided again by what their checks found. Nothing of a person is opened:
what depends on it, or on a step that nobody did, is NOT_KNOWN. Verdicts of reviewers are shown beside the outcomes.${WHERE}`,
    )
    .action(async (file: string, options: SimulateOptions) => print(options, await simulate(file, options)));
}

async function simulate(file: string, options: SimulateOptions): Promise<Result> {
  const [, days] = /^(\d{1,4})d$/.exec(options.since) ?? [];
  if (days === undefined) throw new UsageError('--since takes a number of days, such as 30d');
  const { readYaml } = await import('../configuration/read-yaml.ts');
  const parsed = readYaml(file, readFileSync(file, 'utf8'));
  if ('faults' in parsed) throw new UsageError(parsed.faults.join('\n'));
  const { client } = await serverFrom(options);
  const startDateTime = new Date(Date.now() - Number(days) * DAY_MS).toISOString();
  type Body = Parameters<Client['whatIf']['run']>[0]['body'];
  const definition = parsed.value as Body['definition'];
  const total: Total = { examined: 0, counts: [], changed: [] };
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const body: Body = { definition, startDateTime, size: EXAMINED_AT_ONCE, ...(after !== undefined && { after }) };
    const part: Answer = await client.whatIf.run({ body });
    add(total, part);
    after = part.next;
  }
  return { value: total, text: textOf(total, options.list === true) };
}

function add(total: Total, part: Answer): void {
  total.examined += part.examined;
  total.changed.push(...part.changed);
  for (const { instances, ...of } of part.counts) {
    const sameCount = total.counts.find(
      (each) => each.recorded === of.recorded && each.outcome === of.outcome && each.verdict === of.verdict,
    );
    if (sameCount) sameCount.instances += instances;
    else total.counts.push({ ...of, instances });
  }
}

function textOf({ examined, counts, changed }: Total, isListed: boolean): string {
  if (examined === 0) return 'There are no instances of this definition in that time.';
  const share = Math.round((1000 * (examined - changed.length)) / examined) / 10;
  const rows = counts
    .toSorted((one, other) => other.instances - one.instances)
    .map(({ recorded, outcome, verdict, instances }) => [recorded, outcome, verdict, String(instances)]);
  const lines = [
    `${examined} instances were examined; ${share} % would have the recorded outcome.`,
    table(['RECORDED', 'WOULD BE', 'REVIEWERS', 'INSTANCES'], rows),
  ];
  if (isListed) {
    const listed = changed
      .slice(0, MAX_LISTED)
      .map((each) => [each.processInstanceId, each.recorded, each.outcome, each.verdict, each.because ?? '']);
    lines.push(table(['INSTANCE', 'RECORDED', 'WOULD BE', 'REVIEWERS', 'WHY'], listed));
  }
  return lines.join('\n\n');
}
