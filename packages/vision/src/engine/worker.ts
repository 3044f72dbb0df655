import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import sharp from 'sharp';
import { facePack } from '../faces/packs.ts';
import type { WorkerData, WorkerOptions } from './protocol.ts';
import { serveTasks } from './serve-tasks.ts';
import { loadTasks } from './tasks.ts';

/** A worker uses one core, and returns the memory of a picture. */
sharp.concurrency(1);
sharp.cache(false);

// On Linux each thread has its own priority: with too few cores, threads that answer requests go first.
if (process.platform === 'linux') setPriority(5);

const { pack, weights } = (workerData as WorkerData<WorkerOptions>).options;

serveTasks(await loadTasks({ pack: facePack(pack), ...(weights !== undefined && { weights }) }));
