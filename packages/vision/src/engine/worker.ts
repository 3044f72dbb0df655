import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import sharp from 'sharp';
import { facePack } from '../faces/packs.ts';
import type { WorkerData, WorkerOptions } from './protocol.ts';
import { serveTasks } from './serve-tasks.ts';
import { loadTasks } from './tasks.ts';

/** A worker has one core, and gives back what a picture took. */
sharp.concurrency(1);
sharp.cache(false);

// Linux gives each thread a priority of its own: where there are too few cores, whoever answers callers goes first.
if (process.platform === 'linux') setPriority(5);

const { pack, weights } = (workerData as WorkerData<WorkerOptions>).options;

serveTasks(await loadTasks({ pack: facePack(pack), ...(weights !== undefined && { weights }) }));
