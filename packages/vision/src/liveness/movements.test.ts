import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { drawMovement, isDirection, MOVEMENTS_IN_ALL, type Movement, type Omission } from './movements.ts';

function drawAll(omit: readonly Omission[] = [], random: (bytes: number) => Uint8Array = randomBytes): Movement[] {
  const movements: Movement[] = ['centre'];
  while (movements.length < MOVEMENTS_IN_ALL)
    movements.push(drawMovement({ before: movements, omit, hasRoom: true, random }));
  return movements;
}

test('a challenge has five movements: both expressions once, a turn to a side, nothing twice running', () => {
  for (let times = 0; times < 500; times += 1) {
    const [first, ...movements] = drawAll();
    assert.equal(first, 'centre');
    assert.equal(movements.length, 5);
    for (const expression of ['closeEyes', 'openMouth']) {
      assert.equal(movements.filter((movement) => movement === expression).length, 1, movements.join(' '));
    }
    assert.ok(movements.filter((movement) => movement === 'closer').length <= 1, movements.join(' '));
    assert.ok(movements.includes('left') || movements.includes('right'), movements.join(' '));
    assert.ok(movements.every((movement, at) => movement !== movements[at - 1]));
  }
});

test('the sequences of challenges are many, and every movement occurs at every place', () => {
  const drawn = Array.from({ length: 4000 }, () => drawAll());
  assert.ok(new Set(drawn.map((movements) => movements.join())).size > 700);
  for (let place = 1; place <= 5; place += 1) {
    assert.equal(new Set(drawn.map((movements) => movements[place])).size, 7, `place ${place}`);
  }
});

test('a movement that a person cannot make is never requested', () => {
  for (let times = 0; times < 200; times += 1) {
    assert.ok(!drawAll(['eyes']).includes('closeEyes'));
    assert.ok(!drawAll(['mouth']).includes('openMouth'));
    assert.ok(!drawAll(['turn']).some(isDirection));
    assert.ok(!drawAll(['closer']).includes('closer'));
    assert.ok(drawAll(['eyes', 'mouth', 'turn', 'closer']).every((movement) => movement === 'centre'));
  }
});

test('a broken source of random bytes throws and does not wait endlessly', () => {
  assert.throws(() => drawAll([], (bytes) => new Uint8Array(bytes).fill(255)), /broken/);
});

test('a person whose face would not fit into the picture is not asked to come closer', () => {
  for (let times = 0; times < 200; times += 1) {
    const movement = drawMovement({ before: ['centre', 'left'], omit: [], hasRoom: false, random: randomBytes });
    assert.notEqual(movement, 'closer');
  }
});
