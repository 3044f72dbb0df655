import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isVisibleName } from './visible-name.ts';

it('a name may be written in every script, and contain emoji', () => {
  for (const name of [
    '',
    'Payroll (live) #2',
    'Zürich, caf\u00e9, cafe\u0301',
    'می\u200cخواهم',
    'क्\u200dष',
    'עברית',
    '日本語キー',
    '👩\u200d👩\u200d👧',
    '🧑🏽\u200d💻',
    '❤\ufe0f',
    '1\ufe0f\u20e3',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ])
    assert.ok(isVisibleName(name), JSON.stringify(name));
});

it('a name may not contain invisible characters, or ones that change the text direction', () => {
  const hidden =
    '\u0000 \n \t \u001b \u007f \u009b \u00ad \u034f \u061c \u115f \u1160 \u17b4 \u180b \u180e \u200b \u200c \u200d ' +
    '\u200e \u200f \u2028 \u2029 \u202a \u202e \u2060 \u2066 \u2069 \u206f \u3164 \ufe00 \ufe0f \ufeff \uffa0 \ufff9 ' +
    '\u2800 \u{1d159} \u{1d173} \u{e0001} \u{e0041} \u{e0100}';
  for (const mark of hidden.split(' ')) {
    assert.equal(isVisibleName(`Payroll${mark}`), false, `behind: U+${mark.codePointAt(0)?.toString(16)}`);
    assert.equal(isVisibleName(`${mark}Payroll`), false, `before: U+${mark.codePointAt(0)?.toString(16)}`);
    assert.equal(isVisibleName(`Pay${mark}roll`), false, `inside: U+${mark.codePointAt(0)?.toString(16)}`);
  }
  for (const name of [' ', '\u00a0\u3000', 'خانه\u200c', 'é\u200dx', '日本\u200d語', 'a\ufe0f\u20e4'])
    assert.equal(isVisibleName(name), false, JSON.stringify(name));
});
