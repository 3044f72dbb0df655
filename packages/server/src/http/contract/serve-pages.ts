import type { Engine } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { slicesOf } from '../../kernel/in-slices.ts';
import { type SerializerOptions, serializerOf } from '../fast/serialize.ts';

/**
 * Long lists of one line take turns (`lineOf`: the live or the test callers of a tenant), so that a caller who reads many
 * of them delays nobody else: others are served between two lists, and between two parts of one. Pages of at most
 * `ROWS_AT_ONCE` rows take no turn.
 */
export type TakeTurn = <Result>(
  name: string,
  rows: number,
  work: () => Result | Promise<Result>,
) => Result | Promise<Result>;

/** The rows of one line that are read at the same time. SQLite reads on this thread, PostgreSQL does not. */
const MAX_ROWS: Readonly<Record<Engine, number>> = { sqlite: 40, postgres: 200 };
/** Rows that may wait: fifty of the largest pages. */
const MAX_ROWS_WAITING = 50_000;

type Line = { rows: number; rowsWaiting: number; readonly waiting: { readonly rows: number; begin(): void }[] };

/** Begins work at once if the line has little other work. Refuses with 100010 if too many rows wait. */
export function pageTurns(engine: Engine): TakeTurn {
  const lines = new Map<string, Line>();
  const mayBegin = (line: Line, rows: number) => line.rows === 0 || line.rows + rows <= MAX_ROWS[engine];

  const beginWaiting = (name: string, line: Line) => {
    for (let next = line.waiting[0]; next && mayBegin(line, next.rows); next = line.waiting[0]) {
      line.waiting.shift();
      line.rowsWaiting -= next.rows;
      next.begin();
    }
    if (line.rows === 0) lines.delete(name);
  };

  const begin: TakeTurn = (name, rows, work) => {
    const line = lines.get(name) ?? { rows: 0, rowsWaiting: 0, waiting: [] };
    lines.set(name, line);
    line.rows += rows;
    // Waits a turn of the event loop, so that others are served first.
    const end = () =>
      void setImmediate(() => {
        line.rows -= rows;
        beginWaiting(name, line);
      });
    try {
      const result = work();
      if (result instanceof Promise) result.then(end, end);
      else end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  };

  return (name, rows, work) => {
    const line = lines.get(name);
    if (!line || (line.waiting.length === 0 && mayBegin(line, rows))) return begin(name, rows, work);
    if (line.rowsWaiting + rows > MAX_ROWS_WAITING) {
      throw new ApiError(100010, { retryAfterSeconds: 1, log: 'too many lists of one line wait' });
    }
    line.rowsWaiting += rows;
    return new Promise((resolve) => {
      line.waiting.push({ rows, begin: () => resolve(new Promise((done) => done(begin(name, rows, work)))) });
    });
  };
}

type Page = { readonly content: readonly unknown[] };
type PageSchema = { readonly properties?: { readonly content?: { readonly items?: object } } };

/** A page as JSON, in parts that are sent one after another. */
export class WrittenPage {
  readonly page: Page;
  readonly parts: readonly Buffer[];

  constructor(page: Page, parts: readonly Buffer[]) {
    this.page = page;
    this.parts = parts;
  }
}

const BEGINNING = '"content":[';

/** Undefined if the answer is not a page. */
export function pageWriter(
  schema: unknown,
  options: SerializerOptions,
): ((page: Page) => Promise<WrittenPage>) | undefined {
  const { items } = (schema as PageSchema | undefined)?.properties?.content ?? {};
  if (!items) return undefined;
  const writeEmpty = serializerOf(schema, options);
  const writeItems = serializerOf({ type: 'array', items }, options);
  return async (page) => {
    const empty = writeEmpty({ ...page, content: [] });
    // The members before it are numbers and flags.
    const at = empty.indexOf(BEGINNING) + BEGINNING.length;
    const parts = [Buffer.from(empty.slice(0, at))];
    for await (const slice of slicesOf({}, page.content)) {
      const text = writeItems(slice).slice(1, -1);
      parts.push(Buffer.from(parts.length === 1 ? text : `,${text}`));
    }
    parts.push(Buffer.from(empty.slice(at)));
    return new WrittenPage(page, parts);
  };
}
