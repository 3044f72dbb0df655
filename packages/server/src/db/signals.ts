/**
 * Short messages between the servers on one database. They can be lost when the database is away or restarts, so a listener
 * that must not miss anything reads the tables as well, only less often.
 */
export type Signals = {
  /** Sends a message to the other servers soon. It holds ids and no personal data. */
  publish(message: string): void;
  /** Receives the messages of other servers; undefined means that some may be lost. Returns the function that ends it. */
  listen(hear: (message: string | undefined) => void): () => void;
  /** Whether all messages that others publish now arrive. */
  readonly isComplete: boolean;
};

/** For a database that only one server uses. */
export const NO_SIGNALS: Signals = { publish: () => undefined, listen: () => () => undefined, isComplete: true };
