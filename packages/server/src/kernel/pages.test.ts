import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError } from './errors.ts';
import { fold, likePattern, paging, sortable, toPage } from './pages.ts';

const COLUMNS = { id: 'id', name: 'name_folded', createdDtm: 'created_at' } as const;
const ORDER_BY = /^(id|name_folded|created_at) (ASC|DESC)(, (id|name_folded|created_at) (ASC|DESC))*$/;

const refusedAt = (pointer: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.equal(error.code, 100001);
  assert.equal(error.detail.errors?.[0]?.pointer, pointer);
  assert.match(error.detail.errors?.[0]?.message ?? '', message);
  return true;
};

describe('a page', () => {
  it('a page describes itself as a simple model of all pages does', () => {
    const everything = fc.record({
      total: fc.integer({ min: 0, max: 60 }),
      page: fc.integer({ min: 0, max: 12 }),
      size: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(everything, ({ total, page, size }) => {
        const all = Array.from({ length: total }, (_, at) => at);
        const pages: number[][] = [];
        for (let at = 0; at < total; at += size) pages.push(all.slice(at, at + size));

        const pageRequest = paging({ page, size }, COLUMNS);
        const answer = toPage(all.slice(pageRequest.offset, pageRequest.offset + pageRequest.size), total, pageRequest);

        assert.deepEqual(answer.content, pages[page] ?? []);
        assert.equal(answer.totalElements, total);
        assert.equal(answer.totalPages, pages.length);
        assert.equal(answer.numberOfElements, answer.content.length);
        assert.equal(answer.empty, answer.content.length === 0);
        assert.equal(answer.first, page === 0);
        assert.equal(answer.last, pages[page + 1] === undefined);
        assert.deepEqual([answer.number, answer.size], [page, size]);
        assert.equal(answer.pageable.offset, page * size);
        assert.deepEqual([answer.pageable.pageNumber, answer.pageable.pageSize], [page, size]);
        assert.deepEqual([answer.pageable.paged, answer.pageable.unpaged], [true, false]);
      }),
    );
  });

  it('a page is the first one of ten items by default', () => {
    const { number, size, offset, orderBy } = paging({}, COLUMNS);
    assert.deepEqual({ number, size, offset, orderBy }, { number: 0, size: 10, offset: 0, orderBy: 'id ASC' });
  });

  it('a page says whether it was sorted, with all three members and in both places', () => {
    for (const sort of [[], ['name']]) {
      const answer = toPage([], 0, paging({ sort }, COLUMNS));
      const sorted = sort.length > 0;
      assert.deepEqual(answer.sort, { sorted, unsorted: !sorted, empty: !sorted });
      assert.deepEqual(answer.pageable.sort, answer.sort);
    }
  });
});

describe('the sort order of a page', () => {
  it('the sort order of a page uses the column of the property, ascending by default, with the direction in any case', () => {
    const order = (...sort: string[]) => paging({ sort }, COLUMNS).orderBy;
    assert.equal(order('name'), 'name_folded ASC, id ASC');
    assert.equal(order('name,desc'), 'name_folded DESC, id ASC');
    assert.equal(order(' name , DESC '), 'name_folded DESC, id ASC');
    assert.equal(order('createdDtm,asc', 'name,desc'), 'created_at ASC, name_folded DESC, id ASC');
  });

  it('the sort order of a page by a common property uses its usual column: the time of a date, the folded form of a name', () => {
    const expected = { ...COLUMNS, processDefnName: 'process_defn_name' };
    assert.deepEqual(sortable('id', 'name', 'createdDtm', 'processDefnName'), expected);
  });

  it('the sort order of a page is always total: the id comes last unless it is named', () => {
    const term = fc.tuple(fc.constantFrom('id', 'name', 'createdDtm'), fc.constantFrom('', ',asc', ',desc'));
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), (terms) => {
        const { orderBy } = paging({ sort: terms.map(([name, direction]) => name + direction) }, COLUMNS);
        const columns = orderBy.split(', ').map((each) => each.split(' ')[0]);
        assert.equal(
          columns.filter((column) => column === 'id').length,
          Math.max(1, terms.filter(([name]) => name === 'id').length),
        );
        assert.match(orderBy, ORDER_BY);
      }),
    );
  });

  it('an empty sort order of a page means none', () => {
    assert.equal(toPage([], 0, paging({ sort: ['', ''] }, COLUMNS)).sort.sorted, false);
  });

  it('the sort order of a page lets only known columns and directions into the SQL, whatever the request contains', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'id;DROP TABLE x',
        "name' OR 1=1--",
        'name,asc;',
        'name,desc nulls first',
        '(SELECT 1)',
        'id,asc,id',
      ),
      fc.tuple(fc.constantFrom('name', 'id'), fc.string()).map((parts) => parts.join(',')),
    );
    fc.assert(
      fc.property(hostile, (sort) => {
        try {
          assert.match(paging({ sort: [sort] }, COLUMNS).orderBy, ORDER_BY);
        } catch (error) {
          refusedAt('/query/sort/0', /must/)(error);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the sort order of a page by an unknown property is refused, with the known ones', () => {
    for (const sort of ['secret', 'name_folded', 'constructor', '__proto__', 'Name']) {
      assert.throws(
        () => paging({ sort: [sort] }, COLUMNS),
        refusedAt('/query/sort/0', /^must name one of id, name, createdDtm$/),
      );
    }
  });

  it('the sort order of a page with a wrong direction or too many parts is refused', () => {
    for (const sort of ['name,up', 'name,asc,desc', 'name,', 'name,asc,']) {
      assert.throws(() => paging({ sort: ['id', sort] }, COLUMNS), refusedAt('/query/sort/1', /property,asc/));
    }
  });

  it('the sort order of a page is refused with its own pointer, also behind an empty one', () => {
    assert.throws(() => paging({ sort: ['', 'secret'] }, COLUMNS), refusedAt('/query/sort/1', /must name/));
  });
});

describe('a name filter', () => {
  it('a name filter that is empty or only percent signs has no effect', () => {
    for (const filter of [undefined, '', '%', '%%']) assert.equal(likePattern(filter, '/query/name'), undefined);
  });

  it('a name filter is folded like stored names, so case and composition do not matter', () => {
    assert.equal(likePattern('ÅSA%', '/query/name'), 'åsa%');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(fold(text.normalize('NFD')), fold(text.normalize('NFC')));
        assert.equal(fold(fold(text)), fold(text));
      }),
    );
  });

  it('a name filter must not end in a backslash that escapes nothing; an escaped one is accepted', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 9 }), (start, backslashes) => {
        const filter = `${start.replace(/\\+$/, '')}x${'\\'.repeat(backslashes)}`;
        const read = () => likePattern(filter, '/query/name');
        if (backslashes % 2 === 1) assert.throws(read, refusedAt('/query/name', /backslash/));
        else assert.equal(read(), fold(filter));
      }),
    );
  });
});
