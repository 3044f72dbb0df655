/** The part of the log that a queue writes to. */
export type QueueLog = Record<'info' | 'warn' | 'error', (details: object, text: string) => void>;
