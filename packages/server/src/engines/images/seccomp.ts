import {
  decoderFilter,
  type FilteredArchitecture,
  filterWithoutIoUring,
  INSTRUCTION_BYTES,
  IO_URING_SETUP,
} from './syscall-filter.ts';

/** Two system calls for which Node has no function. Each returns the reason if it failed. */
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;
/** Applies to threads that are already running as well. */
const SECCOMP_FILTER_FLAG_TSYNC = 1;
const SECCOMP: Readonly<Record<FilteredArchitecture, number>> = { x64: 317, arm64: 277 };
const EPERM = 1;
const ENOSYS = 38;

/** Forbids io_uring to this process and to the program that replaces it. */
export function forbidIoUring(): Promise<string | undefined> {
  return withKernel(({ architecture, filterCalls }) => filterCalls(filterWithoutIoUring(architecture)));
}

/** Restricts this process to the system calls of the decoder's filter. It cannot be undone. */
export function allowDecodingOnly(): Promise<string | undefined> {
  return withKernel(({ architecture, filterCalls, mayUseIoUring }) =>
    // The ring of libuv would break, and it could open files without a system call.
    mayUseIoUring() ? 'io_uring is not forbidden' : filterCalls(decoderFilter(architecture, process.pid)),
  );
}

type Kernel = {
  readonly architecture: FilteredArchitecture;
  filterCalls(filter: Buffer): string | undefined;
  mayUseIoUring(): boolean;
};

async function withKernel(act: (kernel: Kernel) => string | undefined): Promise<string | undefined> {
  const { platform, arch } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) return `unknown on ${platform}, ${arch}`;
  try {
    const { default: koffi } = await import('koffi');
    const libc = koffi.load(null);
    const prctl = libc.func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)');
    const program = koffi.struct({ len: 'uint16_t', filter: 'uint8_t *' });
    const seccomp = libc.func('syscall', 'long', ['long', 'unsigned int', 'unsigned int', koffi.pointer(program)]);
    const ioUring = libc.func('syscall', 'long', ['long', 'unsigned int', 'void *']);
    return act({
      architecture: arch,
      filterCalls(filter) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) return `prctl failed with error ${koffi.errno()}`;
        const program = { len: filter.length / INSTRUCTION_BYTES, filter };
        const failure = seccomp(SECCOMP[arch], SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
        return failure === 0 ? undefined : `seccomp failed with error ${koffi.errno()}`;
      },
      // Without parameters the call can never succeed. The error of the kernel tells whether it would have been
      // possible.
      mayUseIoUring: () => ioUring(IO_URING_SETUP, 1, null) !== -1 || ![EPERM, ENOSYS].includes(koffi.errno()),
    });
  } catch (error) {
    return (error as Error).message;
  }
}
