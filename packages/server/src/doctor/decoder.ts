import type { Confinement } from '../engines/images/confine.ts';
import { startChild } from '../engines/images/start-child.ts';
import { type Check, fault, ok, warning } from './check.ts';

const NAME = 'decoder';
const DOCUMENTATION = 'docs/security.md says what is in force without it.';

/** Starts the process that decodes images of strangers, and reports how well it is confined. */
export async function checkDecoder(): Promise<Check> {
  try {
    const child = await startChild({ memoryBytes: 2 ** 29, pages: false, niceness: 0 });
    await child.end();
    return judgeConfinement(child.confinement);
  } catch (error) {
    return fault(NAME, `Images cannot be decoded: ${(error as Error).message}.`, 'Run npm ci again.');
  }
}

export function judgeConfinement({ systemCalls, nodePermissions, reason }: Confinement): Check {
  if (systemCalls) {
    return ok(
      NAME,
      'It runs with a filter of system calls (seccomp): no files, no network, no programs, no new rights.',
    );
  }
  const rest = nodePermissions ? 'only Node’s permission model holds it' : 'nothing holds it but its limits';
  const remedy = `Use Linux on x64 or arm64 with seccomp. ${DOCUMENTATION}`;
  return warning(NAME, `Its system calls are not filtered (${reason}); ${rest}.`, remedy);
}

/** `userId` is undefined on systems whose users have no numbers. */
export function checkUser(userId: number | undefined): Check {
  const name = 'user';
  if (userId !== 0) return ok(name, 'This is not root.');
  const remedy = 'Run the server as a user of its own, who owns the data folder and nothing else.';
  return warning(
    name,
    'This is root. If the server runs as root too, one fault in it opens the whole machine.',
    remedy,
  );
}
