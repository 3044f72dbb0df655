import { allowDecodingOnly } from './seccomp.ts';

/** What holds for the process that decodes. */
export type Confinement = {
  /** Only the system calls of the filter are possible, in all threads: no files, no network, no programs, no new rights. */
  readonly systemCalls: boolean;
  /** Node's permission model: files and programs are refused to JavaScript, not to native code. */
  readonly nodePermissions: boolean;
  /** Why system calls are not filtered. */
  readonly reason?: string;
};

/** Call it when all code is loaded: no file can be opened afterwards. */
export async function confine(): Promise<Confinement> {
  const reason = await allowDecodingOnly();
  const nodePermissions = process.permission !== undefined;
  return { systemCalls: reason === undefined, nodePermissions, ...(reason !== undefined && { reason }) };
}
