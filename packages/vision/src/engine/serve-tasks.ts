import { parentPort } from 'node:worker_threads';
import { ImageFault } from '../images/image-fault.ts';
import type { FromWorker, Task, ToWorker } from './protocol.ts';

/** Called once in a worker thread: reports that it is ready, and answers every job with exactly one message. */
export function serveTasks(tasks: Readonly<Record<string, Task>>): void {
  const port = parentPort;
  if (!port) throw new Error('tasks are served in a worker thread only');
  let last: Promise<void> = Promise.resolve();
  port.on('message', (message: ToWorker) => {
    // To terminate a thread while a library computes kills the whole process.
    if (message.kind === 'leave') last.then(() => port.close());
    else last = last.then(async () => port.postMessage(await answer(tasks, message)));
  });
  const ready: FromWorker = { kind: 'ready' };
  port.postMessage(ready);
}

async function answer(
  tasks: Readonly<Record<string, Task>>,
  { job, task, input }: Extract<ToWorker, { kind: 'job' }>,
): Promise<FromWorker> {
  const run = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
  if (!run) return { kind: 'unknown_task', job };
  try {
    return { kind: 'result', job, result: await run(input) };
  } catch (error) {
    if (error instanceof ImageFault) return { kind: 'image_fault', job, reason: error.reason };
    return { kind: 'error', job, message: error instanceof Error ? error.message : String(error) };
  }
}
