import { hasPages } from '../pages.ts';
import { type Check, fault, ok } from './check.ts';

/** Checks whether the pages are built: a server without them answers everything else. */
export async function checkPages(folder: string): Promise<Check> {
  const name = 'pages';
  if (await hasPages(folder)) return ok(name, 'The pages of end users are built.');
  return fault(
    name,
    `${folder} has no pages, so no end user can open a journey.`,
    'Run `node packages/journey/build.ts` as a user who may write there, or start the server once as one.',
  );
}
