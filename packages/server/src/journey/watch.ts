import { Readable } from 'node:stream';
import type { TenantDb } from '../db/db.ts';
import { type BytesAnswer, stream } from '../kernel/answers.ts';
import type { JourneyPrincipal } from '../kernel/context.ts';
import { isFinal } from '../process-manager/engine/state.ts';
import type { Drive } from '../process-manager/runtime/drive.ts';
import type { Live } from './live.ts';
import { findSession } from './sessions.repository.ts';
import { UNCONFIRMED } from './show-journey.ts';

/**
 * Live status as server-sent events: one at the start, one after each change, and a last one at the end of the journey. The
 * page reads the journey after each event.
 */
type WatchDeps = {
  drive: Pick<Drive, 'look'>;
  live: Live;
  now(): number;
};

/** A client that does not read is cut off before its events pile up. */
const MAX_UNREAD_BYTES = 16 * 1024;

export function watch(deps: WatchDeps, db: TenantDb, session: JourneyPrincipal): BytesAnswer {
  const events = new Readable({ read: () => undefined });
  let isEnded = false;
  const write = (text: string) => {
    if (isEnded || events.destroyed) return;
    events.push(text);
    if (events.readableLength > MAX_UNREAD_BYTES) events.destroy();
  };
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    events.push(null);
    stop();
  };

  const news = async (): Promise<void> => {
    const own = await findSession(db, { id: session.sessionId });
    const allowed = own !== undefined && own.state !== 'CLOSED' && own.expires_at > deps.now();
    const snapshot = allowed ? await deps.drive.look(db, session.instanceId) : undefined;
    if (!snapshot) return end();
    const { status } = snapshot.root;
    const isUnconfirmed = own?.state === 'UNCONFIRMED';
    const view = isUnconfirmed ? UNCONFIRMED : { status, revision: snapshot.revision };
    if (!isUnconfirmed || !isFinal(status)) {
      write(`event: journey\ndata: ${JSON.stringify({ revision: view.revision, status: view.status })}\n\n`);
    }
    if (isFinal(status)) end();
  };
  const changed = oneAfterAnother(news, (error) => events.destroy(error));

  const watcher = { ...session, changed, end, beat: () => write(':\n\n') };
  const stop = deps.live.subscribe(watcher);
  events.once('close', stop);
  changed();
  // Keeps proxies from buffering, which would delay the events.
  return stream('text/event-stream', events, { 'x-accel-buffering': 'no' });
}

/** Calls during a run lead to one more run afterwards, which sees all changes. */
function oneAfterAnother(work: () => Promise<void>, fail: (error: Error) => void): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work();
    } while (again);
    running = false;
  };
  return () => {
    if (running) again = true;
    else run().catch(fail);
  };
}
