import type { Command } from 'commander';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, defineGroup, examples, print, type Result } from '../output.ts';

export function defineRetention(program: Command): void {
  const retention = defineGroup(program, 'retention', 'process instances whose retention is over');
  onServer(define(retention, 'preview', 'show how many would be deleted now, and the age of the oldest'))
    .addHelpText('after', examples('grove retention preview', 'grove retention preview --json') + WHERE)
    .action(async (options: ServerOptions) => print(options, await preview(options)));
  onServer(define(retention, 'run', 'delete them now, for good, instead of at midnight'))
    .addHelpText('after', examples('grove retention run') + WHERE)
    .action(async (options: ServerOptions) => print(options, await run(options)));
}

async function preview(options: ServerOptions): Promise<Result> {
  const value = await (await serverFrom(options)).client.retention.preview();
  const { due, inReview, oldestCreatedDtm, clockFault } = value;
  const lines = [
    due === 0 ? 'No instance is due.' : `${countText(due)} would be deleted, the oldest of ${oldestCreatedDtm}.`,
    ...(inReview > 0 ? [`${inReview} of them wait for a review.`] : []),
    ...(clockFault !== undefined ? [`Nothing is deleted at the moment: ${clockFault}.`] : []),
  ];
  return { value, text: lines.join('\n') };
}

/** Each call deletes a limited number, so it is repeated until nothing is left. */
async function run(options: ServerOptions): Promise<Result> {
  const { client } = await serverFrom(options);
  let purged = 0;
  let left = 0;
  for (let purgedNow = -1; purgedNow !== 0; purged += purgedNow)
    ({ purged: purgedNow, left } = await client.retention.run());
  const text = purged === 0 ? 'No instance was due.' : `${countText(purged)} deleted.`;
  return { value: { purged, left }, text: left === 0 ? text : `${text} ${countText(left)} could not be deleted.` };
}

function countText(number: number): string {
  return number === 1 ? 'One instance' : `${number} instances`;
}
