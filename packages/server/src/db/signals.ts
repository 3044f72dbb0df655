/**
 * Short messages between the servers on one database. They can be lost, when the database is away or restarts: whoever must
 * know reads the tables as well, only less often.
 */
export type Signals = {
  /** Soon tells the other servers. A message holds ids and nothing of a person. */
  publish(message: string): void;
  /** Hears what other servers publish; undefined means that something may have been missed. Gives the call that ends it. */
  listen(hear: (message: string | undefined) => void): () => void;
  /** Whether everything that others publish now is heard. */
  readonly isComplete: boolean;
};

/** For a database that only one server uses. */
export const NO_SIGNALS: Signals = { publish: () => undefined, listen: () => () => undefined, isComplete: true };
