import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../packages/contract/src/index.ts';
import { conformanceRows, countCells, generalRows, missingRoutes, renderRows } from './conformance-table.ts';

const keys = operations().filter(({ id }) => id === 'apiKeys.get' || id === 'apiKeys.create');
const users = operations().filter(({ id }) => id === 'users.get');

describe('the conformance table', () => {
  it('the conformance table has a row for each route and status, and says which codes are missing', () => {
    const place = '/api/arthr/apiKeys';
    const rows = conformanceRows(keys, [
      { route: `GET ${place}/{apiKeyId}`, status: 200 },
      { route: `POST ${place}`, status: 201 },
      { route: `POST ${place}`, status: 409, code: 100014 },
    ]);
    const success = rows.filter(({ codes }) => codes.length === 0);
    assert.deepEqual(
      success.map(({ isExercised }) => isExercised),
      [true, true],
    );
    const conflict = rows.find(({ route, status }) => route === `POST ${place}` && status === 409);
    assert.ok(conflict?.codes.some(({ code, isExercised }) => code === 100014 && isExercised));
    assert.equal(rows.find(({ route, status }) => route.startsWith('GET') && status === 404)?.isExercised, false);
    assert.match(renderRows(rows), /^NO {2}GET .* 404 130\(!\)$/m);
  });

  it('the conformance table requires the success and each code at every address: another address proves nothing', () => {
    const [first, second] = conformanceRows(users, []).filter(({ codes }) => codes.length === 0);
    assert.notEqual(first?.route, second?.route);
    const code = conformanceRows(users, []).find(({ codes }) => codes.length > 0)?.codes[0]?.code as number;
    const rows = conformanceRows(users, [
      { route: first?.route ?? '', status: 200 },
      { route: first?.route ?? '', status: 404, code },
    ]);
    assert.equal(rows.find(({ route, status }) => route === second?.route && status === 200)?.isExercised, false);
    const rowsOfCode = rows.filter(({ codes }) => codes.some((each) => each.code === code));
    const rowAt = (route: string | undefined) => rowsOfCode.find((row) => row.route === route);
    assert.equal(rowAt(second?.route)?.isExercised, false);
    assert.deepEqual(
      rowsOfCode.map(({ codes }) => codes.find((each) => each.code === code)?.here),
      rowsOfCode.map(({ route }) => route === first?.route),
    );
  });

  it('a row of the conformance table is exercised only if each of its codes was answered at its own address', () => {
    const [one, other] = conformanceRows(users, []).filter(({ codes }) => codes.length > 0);
    assert.ok(one && other && one.codes.length > 1 && one.status === other.status);
    const answered = one.codes.map(({ code }) => ({ route: one.route, status: one.status, code }));
    const rows = conformanceRows(users, answered).filter(({ codes }) => codes.length > 0);
    assert.deepEqual(
      rows.map(({ route, isExercised }) => [route, isExercised]),
      [
        [one.route, true],
        [other.route, false],
      ],
    );
  });

  it('the conformance table says of each code whether its own address answered it, and which codes are impossible', () => {
    const route = '/api/identity-store/stores/{storeName}/users/{userId}';
    const rows = conformanceRows(users, [{ route: `GET ${route}`, status: 404, code: 100028 }]);
    const counts = countCells(rows);
    assert.equal(counts.here, 1);
    assert.equal(counts.elsewhere, 1);
    assert.match(renderRows(rows), /100028\(other address\)/);
    const starts = operations().filter(({ id }) => id === 'passkeys.startRegistration');
    assert.equal(countCells(conformanceRows(starts, [])).impossible, 4);
  });

  it('no row of the conformance table is exercised if nothing was answered, not even one whose codes are all impossible', () => {
    const rows = conformanceRows(operations(), []);
    assert.ok(rows.every(({ isExercised }) => !isExercised));
    const impossible = rows.filter((row) => row.impossible);
    assert.ok(impossible.length > 0);
    assert.match(renderRows(impossible), /^- {3}POST .* 409 100038\(impossible\)$/m);
  });

  it('the conformance table names the routes of a specification that were never answered with success', () => {
    const place = '/api/arthr/apiKeys';
    const rows = conformanceRows(keys, [{ route: `POST ${place}`, status: 201 }]);
    assert.deepEqual(missingRoutes([`POST ${place}`, `GET ${place}/{apiKeyId}`], rows), [`GET ${place}/{apiKeyId}`]);
  });

  it('a general code is exercised in the conformance table if any route answered it', () => {
    assert.deepEqual(generalRows([7, 279], [{ route: 'GET /x', status: 403, code: 7 }]), [
      { code: 7, isExercised: true },
      { code: 279, isExercised: false },
    ]);
  });
});
