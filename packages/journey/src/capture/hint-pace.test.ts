import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LANGUAGES } from '../i18n/languages.ts';
import { HINT_MS, noHintYet, paceHint, SPEECH_MS } from './hint-pace.ts';

type Hint = 'closer' | 'dark' | 'hold';

test('a hint stays for its time, however often another is wanted', () => {
  let pace = paceHint(noHintYet<Hint>(), 'closer', 0);
  assert.equal(pace.shownHint, 'closer');
  for (let now = 100; now < HINT_MS; now += 100) {
    pace = paceHint(pace, now % 200 === 0 ? 'dark' : 'hold', now);
    assert.equal(pace.shownHint, 'closer');
  }
  pace = paceHint(pace, 'dark', HINT_MS);
  assert.equal(pace.shownHint, 'dark');
});

test('no hint is announced twice in a row, or within two seconds after the last one', () => {
  let pace = paceHint(noHintYet<Hint>(), 'closer', 0);
  assert.deepEqual([pace.spokenHint, pace.spokenAt], ['closer', 0]);
  pace = paceHint(pace, 'dark', HINT_MS);
  assert.equal(pace.spokenHint, 'closer');
  pace = paceHint(pace, 'dark', SPEECH_MS);
  assert.deepEqual([pace.spokenHint, pace.spokenAt], ['dark', SPEECH_MS]);
  pace = paceHint(pace, 'dark', SPEECH_MS * 3);
  assert.equal(pace.spokenAt, SPEECH_MS);
});

test('a hint over the picture has at most five words, in every language', () => {
  for (const language of LANGUAGES) {
    const path = new URL(`../../messages/capture/${language}.json`, import.meta.url);
    const texts = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>);
    const long = texts.filter(([key, text]) => /^(hint|pose)\./.test(key) && text.trim().split(/\s+/).length > 5);
    assert.deepEqual(long, [], language);
  }
});
