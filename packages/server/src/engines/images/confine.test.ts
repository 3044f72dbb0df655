import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PNG } from '../../../test/images.ts';
import { judgeConfinement } from '../../doctor/decoder.ts';
import { frameParts, readFrames } from './frames.ts';
import { CHILD_SCRIPT, launch, permissions, startChild } from './start-child.ts';
import { decoderFilter, INSTRUCTION_BYTES } from './syscall-filter.ts';

const PROBE = fileURLToPath(new URL('../../../test/children/confinement-probe.ts', import.meta.url));
const OPTIONS = { memoryBytes: 2 ** 29, pages: false, niceness: 0 };
const isFiltered = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
const skip = isFiltered ? false : 'system calls are filtered on Linux alone';

describe('code inside the process that decodes images', { skip }, () => {
  let outcomes: Record<string, string> = {};
  let connections = 0;

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grove-confine-'));
    const file = join(folder, 'master.key');
    writeFileSync(file, 'SECRET');
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    })
      .listen(0, '127.0.0.1')
      .unref();
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const child = launch(PROBE, OPTIONS);
    child.stdin?.end(JSON.stringify({ file, port, victim: process.pid }));
    const answer = await text(child.stdout as NodeJS.ReadableStream);
    assert.notEqual(answer, '', 'the probe died');
    const { confinement, ...rest } = JSON.parse(answer);
    assert.deepEqual(confinement, { systemCalls: true, nodePermissions: false });
    outcomes = rest.outcomes;
    assert.equal(readFileSync(file, 'utf8'), 'SECRET');
    assert.ok(!existsSync(`${file}.new`));
    listener.close();
    rmSync(folder, { recursive: true });
  });

  const assertRefused = (...names: string[]) => {
    for (const name of names)
      assert.match(outcomes[name] ?? 'missing', /^refused: (EPERM|EACCES|error (1|13|38))$/, name);
  };

  it('the process that decodes images cannot read, change or remove the master key, nor read the memory of the server', () =>
    assertRefused('read', 'nativeRead', 'nativeMemory', 'write', 'nativeDelete'));

  it('the process that decodes images can connect to nothing', () => {
    assertRefused('connect', 'nativeSocket', 'nativeLocalSocket');
    assert.equal(connections, 0);
  });

  it('the process that decodes images can start no program, and signal or trace no other process', () =>
    assertRefused('run', 'nativeFork', 'nativeKill', 'nativePtrace'));

  it('the process that decodes images cannot use io_uring, which would bypass the filter', () =>
    assertRefused('nativeIoUring'));
});

describe('the confinement of the process that decodes images', { skip }, () => {
  it('the process that decodes images gains no rights, has a filter in every thread, and limits of processor time, files and memory', async () => {
    const child = await startChild(OPTIONS);
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      assert.match(status, /^NoNewPrivs:\s1$/m);
      assert.match(status, /^Seccomp:\s2$/m);
      const limits = readFileSync(`/proc/${child.pid}/limits`, 'utf8');
      assert.match(limits, /^Max cpu time\s+120\s+120\s/m);
      assert.match(limits, /^Max file size\s+0\s+0\s/m);
      assert.match(limits, /^Max open files\s+64\s+64\s/m);
      assert.match(limits, /^Max core file size\s+0\s+0\s/m);
      assert.doesNotMatch(limits, /^Max data size\s+unlimited/m);
    } finally {
      await child.end();
    }
  });

  it('the process that decodes images starts with Node’s permission model if the kernel refuses a filter, decodes, and reports it', async () => {
    const child = spawn(process.execPath, [...permissions(), CHILD_SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
    const frames = readFrames(child.stdout, 2 ** 20);
    const ready = (await frames.next()).value?.words;
    // This process was started directly, so its libuv uses a ring if the kernel has io_uring.
    const { confinement } = ready as { confinement: Parameters<typeof judgeConfinement>[0] };
    assert.equal(confinement.nodePermissions, true);
    if (!confinement.systemCalls) assert.equal(confinement.reason, 'io_uring is not forbidden');
    for (const part of frameParts({ type: 'image/png' }, PNG)) child.stdin.write(part);
    const { value } = await frames.next();
    assert.deepEqual(value?.words, { width: 32, height: 24 });
    child.stdin.end();
    await once(child, 'exit');
  });
});

describe('doctor about the confinement of decoding', () => {
  it('doctor says which confinement is in force, and warns if system calls are not filtered', () => {
    assert.equal(judgeConfinement({ systemCalls: true, nodePermissions: false }).state, 'ok');
    const weak = judgeConfinement({ systemCalls: false, nodePermissions: true, reason: 'unknown on darwin, arm64' });
    assert.equal(weak.state, 'warning');
    assert.match(weak.message, /unknown on darwin, arm64.*permission model/);
  });
});

describe('the filter of system calls', () => {
  /** Evaluates the filter as the kernel would: classic BPF, as far as the filter uses it. */
  const judge = (filter: Buffer, architecture: number, number: number, args: readonly number[] = []): number => {
    const data = [number, architecture, 0, 0, ...args.flatMap((value) => [value, 0])];
    let accumulator = 0;
    for (let at = 0; ; at++) {
      const [from, code] = [at * INSTRUCTION_BYTES, filter.readUInt16LE(at * INSTRUCTION_BYTES)];
      const value = filter.readUInt32LE(from + 4);
      if (code === 0x06) return value;
      if (code === 0x20) accumulator = data[value / 4] ?? 0;
      else {
        const holds = code === 0x15 ? accumulator === value : (accumulator & value) !== 0;
        at += filter.readUInt8(from + (holds ? 2 : 3));
      }
    }
  };
  const [ALLOW, EPERM, ENOSYS, KILL] = [0x7fff_0000, 0x0005_0001, 0x0005_0026, 0x8000_0000];

  for (const [name, architecture, numbers] of [
    [
      'x64',
      0xc000_003e,
      {
        read: 0,
        open: 2,
        openat: 257,
        socket: 41,
        connect: 42,
        execve: 59,
        clone: 56,
        kill: 62,
        tgkill: 234,
        fcntl: 72,
        x32: 0x4000_0000,
      },
    ],
    [
      'arm64',
      0xc000_00b7,
      {
        read: 63,
        openat: 56,
        socket: 198,
        connect: 203,
        execve: 221,
        clone: 220,
        kill: 129,
        tgkill: 131,
        fcntl: 25,
        ptrace: 117,
      },
    ],
  ] as const) {
    it(`the filter of system calls allows on ${name} only what decoding needs, its own threads and signals to itself`, () => {
      const filter = decoderFilter(name, 4711);
      const of = (number: number, ...args: number[]) => judge(filter, architecture, number, args);
      const { read, clone, tgkill, fcntl, ...others } = numbers;
      assert.equal(of(read), ALLOW);
      for (const [each, number] of Object.entries(others)) assert.equal(of(number), EPERM, each);
      assert.deepEqual([of(clone, 0x0001_0f00), of(clone, 0x11), of(435)], [ALLOW, EPERM, ENOSYS]);
      assert.deepEqual([of(tgkill, 4711), of(tgkill, 1)], [ALLOW, EPERM]);
      assert.deepEqual([of(fcntl, 0, 4), of(fcntl, 0, 8)], [ALLOW, EPERM]);
      assert.equal(judge(filter, 0x4000_0003, read), KILL);
    });
  }
});
