/** What the queue says, to whoever writes it down. */
export type JobLog = Record<'info' | 'warn' | 'error', (details: object, text: string) => void>;
