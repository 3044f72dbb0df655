import type { ConfigurationAction } from '@grove/contract';
import { joined, type TenantTx } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';

/** A change of the configuration, as it is recorded. */
export type MadeChange = {
  readonly action: ConfigurationAction;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly result: unknown;
};
export type RecordChange = (tx: TenantTx, context: Context, change: MadeChange) => Promise<void>;

type Input = { readonly params: unknown; readonly query: unknown; readonly body: unknown };
export type Handle = ((context: Context, input: Input) => unknown) & {
  /** Whether it may be called a second time in its transaction, as `WriteOptions` says. */
  runsAgain?: boolean;
  prepare?(context: Context, input: Input): Promise<(within: Context) => unknown>;
};

/** The handler of an operation that changes the configuration. The change and its record are one transaction. */
export function auditing(handler: Handle, action: ConfigurationAction, record: RecordChange): Handle {
  const { prepare, runsAgain = false } = handler;
  const within = (context: Context, input: Input, handle: (context: Context) => unknown) =>
    context.db.write(
      async (tx) => {
        const result = await handle({ ...context, db: joined(tx) });
        const params = input.params as Record<string, string>;
        await record(tx, context, { action, params, body: input.body, result });
        return result;
      },
      { runsAgain },
    );
  if (!prepare) return (context, input) => within(context, input, (inside) => handler(inside, input));
  const ready = async (context: Context, input: Input) => {
    const rest = await prepare(context, input);
    return (inside: Context) => within(inside, input, rest);
  };
  const handle: Handle = async (context, input) => (await ready(context, input))(context);
  return Object.assign(handle, { prepare: ready });
}
