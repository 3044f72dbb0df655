import { forbidIoUring } from './seccomp.ts';

/**
 * Forbids io_uring and becomes Node again: the decoder's filter of system calls works only in a Node that never had a
 * ring, and could not stop one that has it. The arguments are those of the new Node; what stands before `--` are options
 * for a kernel that refuses.
 */
export const END_OF_FALLBACK = '--';

// An installation only loads it, so that it is compiled.
if (import.meta.main) {
  const fault = await forbidIoUring();
  const [node = process.execPath, , ...rest] = process.argv;
  const end = rest.indexOf(END_OF_FALLBACK);
  const fallback = fault === undefined ? [] : rest.slice(0, end);
  process.execve?.(node, [node, ...fallback, ...rest.slice(end + 1)], process.env);
}
