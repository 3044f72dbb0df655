import { hasTable, readClock, type View } from '../db/view.ts';
import { type Check, fault, ok } from './check.ts';

const TOLERANCE_MS = 5000;
const EARLIEST_YEAR = 2025;
const LATEST_YEAR = 2100;

/** The time of this machine, the time of the database, and the latest time that the database has stored. */
type Clocks = { system: number; database?: number; latest?: number };

const LATEST = 'SELECT max(applied_at) AS latest FROM schema_migrations';

/** Checks the clock, on which tokens, expiries and one-time codes depend. */
export function checkClock({ system, database = system, latest = 0 }: Clocks): Check {
  const name = 'clock';
  const remedy = 'Set the clock; let the machine keep it with NTP.';
  const year = new Date(system).getUTCFullYear();
  const time = new Date(system).toISOString();
  if (year < EARLIEST_YEAR || year > LATEST_YEAR) return fault(name, `It cannot be ${time}.`, remedy);
  const apart = Math.abs(system - database);
  if (apart > TOLERANCE_MS) {
    return fault(name, `This machine and the database are ${(apart / 1000).toFixed(1)} seconds apart.`, remedy);
  }
  if (latest > system + TOLERANCE_MS) {
    return fault(name, `It is ${time}, but the database was changed at ${new Date(latest).toISOString()}.`, remedy);
  }
  return ok(name, `It is ${time}.`);
}

export async function readDatabaseClocks(view: View): Promise<Omit<Clocks, 'system'>> {
  const database = await readClock(view);
  const applied = (await hasTable(view, 'schema_migrations'))
    ? await view.system.get<{ latest: number | null }>({ text: LATEST }, [])
    : undefined;
  return {
    ...(database !== undefined && { database }),
    ...(applied?.latest && { latest: applied.latest }),
  };
}
