import type { Check } from '@grove/server';
import type { Command } from 'commander';
import { FAILED } from '../failure.ts';
import { serverEnvironment } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result, styled } from '../output.ts';

const COLOURS = { ok: 'green', warning: 'yellow', fault: 'red' } as const;

export function defineDoctor(program: Command): void {
  define(program, 'doctor', 'check the installation: what is wrong, and what to do about it')
    .addHelpText(
      'after',
      `${examples('grove doctor', 'grove doctor --json')}
Nothing is changed. The server may be running or stopped. Exit code 1 if there is a fault; warnings do not change it.`,
    )
    .action(async (options: CommonOptions) => print(options, await diagnose()));
}

async function diagnose(): Promise<Result> {
  const { examine } = await import('@grove/server/doctor');
  const checks = await examine(serverEnvironment());
  const worst = (['fault', 'warning'] as const).find((state) => checks.some((check) => check.state === state)) ?? 'ok';
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const sums = `${count('ok')} ok, ${count('warning')} warnings, ${count('fault')} faults`;
  return {
    value: { state: worst, checks },
    text: [...checks.map(lineOf), '', sums].join('\n'),
    exitCode: worst === 'fault' ? FAILED : 0,
  };
}

function lineOf({ name, state, message, remedy }: Check): string {
  const line = `${styled(COLOURS[state], state.padEnd(7))}  ${name.padEnd(13)}  ${message}`;
  return remedy === undefined ? line : `${line}\n${' '.repeat(24)}→ ${remedy}`;
}
