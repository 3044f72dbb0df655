import sharp from 'sharp';
import { serveTasks } from './serve-tasks.ts';
import { loadTasks } from './tasks.ts';

/** A worker has one core, and gives back what a picture took. */
sharp.concurrency(1);
sharp.cache(false);

serveTasks(await loadTasks());
