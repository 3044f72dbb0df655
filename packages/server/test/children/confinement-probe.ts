/**
 * Runs with the limits and the confinement of the decoder, and tries what a compromised decoder would try: first by
 * functions of Node, then by the C library, past everything that Node checks.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import koffi from 'koffi';
import { confine } from '../../src/engines/images/confine.ts';

const input = Buffer.concat(await Array.fromAsync(process.stdin));
const { file, port, victim } = JSON.parse(input.toString('utf8'));

const libc = koffi.load(null);
const call = {
  open: libc.func('int open(const char *, int)'),
  socket: libc.func('int socket(int, int, int)'),
  kill: libc.func('int kill(int, int)'),
  fork: libc.func('int fork()'),
  unlink: libc.func('int unlink(const char *)'),
  ptrace: libc.func('long ptrace(int, int, void *, void *)'),
  ioUring: libc.func('syscall', 'long', ['long', 'unsigned int', 'void *']),
};
const PTRACE_SEIZE = 0x4206;
const IO_URING_SETUP = 425;
const O_RDONLY = 0;
const [AF_UNIX, AF_INET] = [1, 2];

// The kind of the stream cannot be read later.
const { stdout } = process;
const confinement = await confine();

/** `refused: …`, or `done` if it succeeded. */
const attempt = async (act: () => unknown): Promise<string> => {
  try {
    await act();
    return 'done';
  } catch (error) {
    return `refused: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`;
  }
};
const native = (act: () => number) =>
  attempt(() => {
    if (act() === -1) throw new Error(`error ${koffi.errno()}`);
  });

const outcomes = {
  read: await attempt(() => readFileSync(file)),
  write: await attempt(() => writeFileSync(`${file}.new`, 'x')),
  connect: await attempt(
    () =>
      new Promise((done, failed) => {
        connect(port, '127.0.0.1').once('connect', done).once('error', failed);
      }),
  ),
  run: await attempt(() => execFileSync('/bin/true')),
  nativeRead: await native(() => call.open(file, O_RDONLY)),
  nativeMemory: await native(() => call.open(`/proc/${victim}/mem`, O_RDONLY)),
  nativeDelete: await native(() => call.unlink(file)),
  nativeSocket: await native(() => call.socket(AF_INET, 1, 0)),
  nativeLocalSocket: await native(() => call.socket(AF_UNIX, 1, 0)),
  nativeKill: await native(() => call.kill(victim, 0)),
  nativeFork: await native(() => {
    const child = call.fork();
    if (child === 0) process.kill(process.pid, 'SIGKILL');
    return child;
  }),
  nativePtrace: await native(() => Number(call.ptrace(PTRACE_SEIZE, victim, null, null))),
  nativeIoUring: await native(() => Number(call.ioUring(IO_URING_SETUP, 8, Buffer.alloc(120)))),
};
stdout.write(JSON.stringify({ confinement, outcomes }));
