/** How often servers are killed. CRASH_ROUNDS asks for more rounds than every run of the tests can afford. */
export const CRASH_ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3);

/** A round starts a server, which takes a second on a quiet machine and many on a busy one. Both engines have to fit in. */
const BEFORE_MS = 300_000;
const ROUND_MS = 60_000;
export const CRASH_TIMEOUT_MS = BEFORE_MS + CRASH_ROUNDS * ROUND_MS;
