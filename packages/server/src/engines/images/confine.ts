import { allowDecodingOnly } from './seccomp.ts';

/** The restrictions on the process that decodes. */
export type Confinement = {
  /** The filter allows few system calls, in all threads: no files, no network, no programs, no new privileges. */
  readonly systemCalls: boolean;
  /** Node's permission model: it restricts JavaScript, not native code. */
  readonly nodePermissions: boolean;
  readonly reason?: string;
};

/** Must be called when all code is loaded: no file can be opened afterwards. */
export async function confine(): Promise<Confinement> {
  const reason = await allowDecodingOnly();
  const nodePermissions = process.permission !== undefined;
  return { systemCalls: reason === undefined, nodePermissions, ...(reason !== undefined && { reason }) };
}
