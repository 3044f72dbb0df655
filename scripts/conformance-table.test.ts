import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../packages/contract/src/index.ts';
import { conformanceRows, countCells, generalRows, missingRoutes, renderRows } from './conformance-table.ts';

const keys = operations().filter(({ id }) => id === 'apiKeys.get' || id === 'apiKeys.create');
const users = operations().filter(({ id }) => id === 'users.get');

describe('the table of what was exercised', () => {
  it('the table of what was exercised has a row for each route and status, and says which codes are missing', () => {
    const place = '/api/arthr/apiKeys';
    const rows = conformanceRows(keys, [
      { route: `GET ${place}/{apiKeyId}`, status: 200 },
      { route: `POST ${place}`, status: 201 },
      { route: `POST ${place}`, status: 409, code: 100014 },
    ]);
    const success = rows.filter(({ codes }) => codes.length === 0);
    assert.deepEqual(
      success.map(({ seen }) => seen),
      [true, true],
    );
    const conflict = rows.find(({ route, status }) => route === `POST ${place}` && status === 409);
    assert.ok(conflict?.codes.some(({ code, seen }) => code === 100014 && seen));
    assert.equal(rows.find(({ route, status }) => route.startsWith('GET') && status === 404)?.seen, false);
    assert.match(renderRows(rows), /^NO {2}GET .* 404 130\(!\)$/m);
  });

  it('the table of what was exercised asks for the success and for each code at every address: another address proves nothing', () => {
    const [first, second] = conformanceRows(users, []).filter(({ codes }) => codes.length === 0);
    assert.notEqual(first?.route, second?.route);
    const code = conformanceRows(users, []).find(({ codes }) => codes.length > 0)?.codes[0]?.code as number;
    const rows = conformanceRows(users, [
      { route: first?.route ?? '', status: 200 },
      { route: first?.route ?? '', status: 404, code },
    ]);
    assert.equal(rows.find(({ route, status }) => route === second?.route && status === 200)?.seen, false);
    const told = rows.filter(({ codes }) => codes.some((each) => each.code === code));
    const rowAt = (route: string | undefined) => told.find((row) => row.route === route);
    assert.equal(rowAt(second?.route)?.seen, false);
    assert.deepEqual(
      told.map(({ codes }) => codes.find((each) => each.code === code)?.here),
      told.map(({ route }) => route === first?.route),
    );
  });

  it('the table of what was exercised takes a row for exercised only where every code of it was answered at its own address', () => {
    const [one, other] = conformanceRows(users, []).filter(({ codes }) => codes.length > 0);
    assert.ok(one && other && one.codes.length > 1 && one.status === other.status);
    const answered = one.codes.map(({ code }) => ({ route: one.route, status: one.status, code }));
    const rows = conformanceRows(users, answered).filter(({ codes }) => codes.length > 0);
    assert.deepEqual(
      rows.map(({ route, seen }) => [route, seen]),
      [
        [one.route, true],
        [other.route, false],
      ],
    );
  });

  it('the table of what was exercised says of each code whether its own address answered it, and which cannot', () => {
    const route = '/api/identity-store/stores/{storeName}/users/{userId}';
    const rows = conformanceRows(users, [{ route: `GET ${route}`, status: 404, code: 100028 }]);
    const counts = countCells(rows);
    assert.equal(counts.here, 1);
    assert.equal(counts.elsewhere, 1);
    assert.match(renderRows(rows), /100028\(other address\)/);
    const starts = operations().filter(({ id }) => id === 'passkeys.startRegistration');
    assert.equal(countCells(conformanceRows(starts, [])).impossible, 4);
  });

  it('the table of what was exercised takes no row for exercised where nothing was answered, not even one whose codes are all impossible', () => {
    const rows = conformanceRows(operations(), []);
    assert.ok(rows.every(({ seen }) => !seen));
    const impossible = rows.filter((row) => row.impossible);
    assert.ok(impossible.length > 0);
    assert.match(renderRows(impossible), /^- {3}POST .* 409 100038\(impossible\)$/m);
  });

  it('the table of what was exercised names the routes of a specification that nothing answered', () => {
    const place = '/api/arthr/apiKeys';
    const rows = conformanceRows(keys, [{ route: `POST ${place}`, status: 201 }]);
    assert.deepEqual(missingRoutes([`POST ${place}`, `GET ${place}/{apiKeyId}`], rows), [`GET ${place}/{apiKeyId}`]);
  });

  it('the table of what was exercised knows a general code by any route', () => {
    assert.deepEqual(generalRows([7, 279], [{ route: 'GET /x', status: 403, code: 7 }]), [
      { code: 7, seen: true },
      { code: 279, seen: false },
    ]);
  });
});
