import type { RecordedAction } from '@grove/contract';
import { joinTransaction, type TenantTx } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';

/** A change of the configuration, as the audit log records it. */
export type RecordedChange = {
  readonly action: RecordedAction;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly result: unknown;
  readonly before: unknown;
};
export type ChangeLog = {
  /** Reads an object of the configuration as it is stored, in the transaction of its change. */
  readBefore(context: Context, action: RecordedAction, params: Readonly<Record<string, string>>): Promise<unknown>;
  /** Writes a change of the configuration into the audit log, in its transaction. */
  recordChange: RecordChange;
};
export type RecordChange = (tx: TenantTx, context: Context, change: RecordedChange) => Promise<void>;

type Input = { readonly params: unknown; readonly query: unknown; readonly body: unknown };
export type Handle = ((context: Context, input: Input) => unknown) & {
  /** Whether it may be called a second time in its transaction, as `WriteOptions` says. */
  runsAgain?: boolean;
  prepare?(context: Context, input: Input): Promise<(within: Context) => unknown>;
};

/** The handler of an operation that changes the configuration. The change and its record are one transaction. */
export function withAudit(handler: Handle, action: RecordedAction, log: ChangeLog): Handle {
  const { prepare, runsAgain = false } = handler;
  const inTransaction = (context: Context, input: Input, handle: (context: Context) => unknown) =>
    context.db.write(
      async (tx) => {
        const inside = { ...context, db: joinTransaction(tx) };
        const params = input.params as Record<string, string>;
        const before = await log.readBefore(inside, action, params);
        const result = await handle(inside);
        await log.recordChange(tx, context, { action, params, body: input.body, result, before });
        return result;
      },
      { runsAgain },
    );
  if (!prepare) return (context, input) => inTransaction(context, input, (inside) => handler(inside, input));
  const ready = async (context: Context, input: Input) => {
    const rest = await prepare(context, input);
    return (inside: Context) => inTransaction(inside, input, rest);
  };
  const handle: Handle = async (context, input) => (await ready(context, input))(context);
  return Object.assign(handle, { prepare: ready });
}

/** The handler of an operation that is recorded only if an operator calls it. */
export function withOperatorAudit(handler: Handle, action: RecordedAction, log: ChangeLog): Handle {
  const auditedHandler = withAudit(handler, action, log);
  const handlerFor = ({ principal }: Context) => (principal.operator ? auditedHandler : handler);
  const handle: Handle = (context, input) => handlerFor(context)(context, input);
  const { prepare } = handler;
  if (!prepare) return Object.assign(handle, handler);
  return Object.assign(handle, handler, {
    prepare: (context: Context, input: Input) => (handlerFor(context).prepare ?? prepare)(context, input),
  });
}
