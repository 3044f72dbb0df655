import { setPriority } from 'node:os';
import sharp from 'sharp';
import { serveTasks } from './serve-tasks.ts';
import { loadTasks } from './tasks.ts';

/** A worker has one core, and gives back what a picture took. */
sharp.concurrency(1);
sharp.cache(false);

// Linux gives each thread a priority of its own: where there are too few cores, whoever answers callers goes first.
if (process.platform === 'linux') setPriority(5);

serveTasks(await loadTasks());
