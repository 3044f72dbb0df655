/**
 * The system calls that the decoder may still make after it has loaded its code, as a program for seccomp: memory, its
 * own threads, time, and the open pipes. It cannot open a file, make a socket, start a program or signal another
 * process. Every other call fails with EPERM, which decoders treat as an ordinary error.
 */
export type FilteredArchitecture = 'x64' | 'arm64';

/** Numbers for x64 and arm64: `asm/unistd_64.h` and `asm-generic/unistd.h` of Linux. */
const ALLOWED: Readonly<Record<string, readonly [x64: number, arm64: number | undefined]>> = {
  // The pipes to the server, and waiting for them.
  read: [0, 63],
  write: [1, 64],
  readv: [19, 65],
  writev: [20, 66],
  close: [3, 57],
  shutdown: [48, 210],
  fstat: [5, 80],
  lseek: [8, 62],
  poll: [7, undefined],
  ppoll: [271, 73],
  eventfd2: [290, 19],
  epoll_wait: [232, undefined],
  epoll_pwait: [281, 22],
  epoll_ctl: [233, 21],
  // Memory, and the code that V8 compiles.
  mmap: [9, 222],
  mprotect: [10, 226],
  munmap: [11, 215],
  brk: [12, 214],
  mremap: [25, 216],
  madvise: [28, 233],
  pkey_mprotect: [329, 288],
  pkey_alloc: [330, 289],
  pkey_free: [331, 290],
  membarrier: [324, 283],
  // Threads and signals of its own.
  futex: [202, 98],
  sched_yield: [24, 124],
  sched_getaffinity: [204, 123],
  set_robust_list: [273, 99],
  rseq: [334, 293],
  gettid: [186, 178],
  getpid: [39, 172],
  getcpu: [309, 168],
  sigaltstack: [131, 132],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  restart_syscall: [219, 128],
  exit: [60, 93],
  exit_group: [231, 94],
  fsync: [74, 82],
  // Time, chance, and what the machine is.
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
  clock_nanosleep: [230, 115],
  nanosleep: [35, 101],
  gettimeofday: [96, 169],
  getrandom: [318, 278],
  getrusage: [98, 165],
  sysinfo: [99, 179],
  uname: [63, 160],
};

/** Calls that are allowed for some values of one argument only. */
const CLONE = [56, 220] as const;
const CLONE3 = [435, 435] as const;
const TGKILL = [234, 131] as const;
const FCNTL = [72, 25] as const;
const PRCTL = [157, 167] as const;

const CLONE_THREAD = 0x0001_0000;
/** F_GETFD, F_SETFD, F_GETFL, F_SETFL. Others can have a signal sent to any process. */
const FCNTL_COMMANDS = [1, 2, 3, 4];
/** PR_SET_NAME and PR_SET_VMA: names of threads and of memory. */
const PRCTL_OPTIONS = [15, 0x5356_4d41];

const AUDIT_ARCHITECTURES = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const RETURN_ALLOW = 0x7fff_0000;
const RETURN_ERROR = 0x0005_0000;
const RETURN_KILL = 0x8000_0000;
const EPERM = 1;
const ENOSYS = 38;

export const IO_URING_SETUP = 425;

/** `struct seccomp_data`: number, architecture, instruction pointer, six arguments of eight bytes. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number) => 16 + 8 * index;

/** Instructions of classic BPF: `linux/bpf_common.h`. */
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_BITS = 0x45;
const RETURN = 0x06;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (at: number): Instruction => [LOAD, 0, 0, at];
const answer = (value: number): Instruction => [RETURN, 0, 0, value];
/** Continues with the next instruction if equal, and otherwise skips that many. */
const ifEqual = (value: number, skip: number): Instruction => [JUMP_IF_EQUAL, 0, skip, value];

export const INSTRUCTION_BYTES = 8;

/**
 * Allows everything but io_uring, whose operations no filter sees. It must be in force before Node starts: libuv
 * creates a ring as soon as it can, and works without one if it cannot.
 */
export function filterWithoutIoUring(architecture: FilteredArchitecture): Buffer {
  return bytesOf([
    ...onlyFor(architecture),
    ...inCase(IO_URING_SETUP, [answer(RETURN_ERROR | ENOSYS)]),
    answer(RETURN_ALLOW),
  ]);
}

/** Only the process `processId` may be signalled. */
export function decoderFilter(architecture: FilteredArchitecture, processId: number): Buffer {
  const of = (numbers: readonly [number, number | undefined]) => numbers[architecture === 'x64' ? 0 : 1];
  const whenOneOf = (numbers: readonly [number, number], argument: number, values: readonly number[]) =>
    inCase(of(numbers) as number, [
      load(argumentAt(argument)),
      ...values.flatMap((value) => [ifEqual(value, 1), answer(RETURN_ALLOW)]),
      answer(RETURN_ERROR | EPERM),
    ]);
  return bytesOf([
    ...onlyFor(architecture),
    ...Object.values(ALLOWED).flatMap((numbers) => {
      const number = of(numbers);
      return number === undefined ? [] : inCase(number, [answer(RETURN_ALLOW)]);
    }),
    ...inCase(of(CLONE) as number, [
      load(argumentAt(0)),
      [JUMP_IF_BITS, 0, 1, CLONE_THREAD],
      answer(RETURN_ALLOW),
      answer(RETURN_ERROR | EPERM),
    ]),
    // The flags are in memory, where a filter cannot read. The C library then uses clone instead.
    ...inCase(of(CLONE3) as number, [answer(RETURN_ERROR | ENOSYS)]),
    ...whenOneOf(TGKILL, 0, [processId]),
    ...whenOneOf(FCNTL, 1, FCNTL_COMMANDS),
    ...whenOneOf(PRCTL, 0, PRCTL_OPTIONS),
    answer(RETURN_ERROR | EPERM),
  ]);
}

/** Numbers of another architecture are other system calls. */
function onlyFor(architecture: FilteredArchitecture): Instruction[] {
  return [
    load(ARCHITECTURE_AT),
    [JUMP_IF_EQUAL, 1, 0, AUDIT_ARCHITECTURES[architecture]],
    answer(RETURN_KILL),
    load(NUMBER_AT),
  ];
}

function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  }
  return bytes;
}

function inCase(number: number, instructions: readonly Instruction[]): Instruction[] {
  return [ifEqual(number, instructions.length), ...instructions];
}
