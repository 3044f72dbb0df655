import { setTimeout as wait } from 'node:timers/promises';
import { serveTasks } from '../src/engine/serve-tasks.ts';
import { ImageFault } from '../src/images/image-fault.ts';
import { nativeCall } from '../src/native-calls.ts';

/** Tasks that fail in all ways in which a real one can. Counters are shared between threads. */
serveTasks({
  echo: async (input) => input,
  slow: async (input) => {
    await wait(50);
    return input;
  },
  slowly: async (input) => {
    await wait(300);
    Atomics.add(input as Int32Array, 0, 1);
  },
  refuse: async () => {
    throw new ImageFault('corrupt');
  },
  fail: async () => {
    throw new Error('a bug');
  },
  dieOnce: async (input) => {
    const counter = input as Int32Array;
    if (Atomics.add(counter, 0, 1) === 0) process.exit(1);
    return 'alive';
  },
  dieAlways: async (input) => {
    Atomics.add(input as Int32Array, 0, 1);
    process.exit(1);
  },
  spin: async (input) => {
    Atomics.add(input as Int32Array, 0, 1);
    for (;;) Math.random();
  },
  /** A library that computes until it is told to return. The code after it must not run. */
  inLibrary: async (input) => {
    const [started, mayReturn, returned, next] = input as Int32Array[];
    await nativeCall(async () => {
      Atomics.store(started as Int32Array, 0, 1);
      Atomics.wait(mayReturn as Int32Array, 0, 0);
      Atomics.store(returned as Int32Array, 0, 1);
    });
    await nativeCall(async () => Atomics.store(next as Int32Array, 0, 1));
  },
  hoard: async () => {
    const hoard: object[] = [];
    for (;;) {
      hoard.push(Array.from({ length: 1000 }, (_, at) => ({ at })));
      // Allocates in turns, because a worker is terminated between two turns at the latest.
      if (hoard.length % 20 === 0) await wait(0);
    }
  },
});
