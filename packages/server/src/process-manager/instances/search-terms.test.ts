import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_TERM_LENGTH, MAX_TERMS, termsOf, wordsOf } from './search-terms.ts';

describe('the search terms of an instance', () => {
  it('the search terms of an instance are the words of the name, the e-mail address and its parts, and the digits of the telephone number', () => {
    const terms = termsOf(
      {
        firstName: 'Anne-Marie',
        lastName: 'O’Neil ÄRGER',
        email: 'Anne.Marie+x@Mail.Example',
        phoneNumber: '+49 (170) 123-456',
      },
      [],
    );
    assert.deepEqual(terms, [
      'anne',
      'marie',
      'o',
      'neil',
      'ärger',
      'anne.marie+x@mail.example',
      'mail.example',
      '49170123456',
    ]);
  });

  it('the search terms of an instance are also the searchable parameters, and numbers also without separators', () => {
    assert.deepEqual(termsOf({}, ['AB-2024/001 North', 'Some@Where.example']), [
      'ab2024001',
      'ab',
      '2024',
      '001',
      'north',
      'some@where.example',
      'where.example',
    ]);
    assert.deepEqual(termsOf({ email: 'jo@x.example' }, []), ['jo@x.example', 'jo', 'x.example']);
  });

  it('the search terms of an instance are unique, at most forty, at most 64 characters long, and none for an empty instance', () => {
    const many = Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ');
    assert.equal(termsOf({ firstName: many }, [many]).length, MAX_TERMS);
    assert.deepEqual(termsOf({ firstName: 'x x X', email: '', phoneNumber: 'none' }, ['', ' - ']), ['x']);
    assert.deepEqual(termsOf({ firstName: 'é'.repeat(100) }, [])[0]?.length, MAX_TERM_LENGTH);
    assert.equal([...(termsOf({ firstName: '𝒜'.repeat(100) }, [])[0] ?? '')].length, MAX_TERM_LENGTH);
  });
});

describe('the words of a search', () => {
  for (const [typed, words] of [
    ['Ada Lovelace', ['ada', 'lovelace']],
    ['  ADA   ada ', ['ada']],
    ['O’Neil', ['neil']],
    ['Anne-Marie', ['anne', 'marie']],
    ['anne.marie+x@mail.example', ['anne.marie+x@mail.example']],
    ['Ada <ada@mail.example>', ['ada', 'ada@mail.example']],
    ['+49 (170) 123-456', ['49170123456']],
    ['0170 123 456', ['0170123456']],
    ['ada 2024-001', ['ada', '2024001']],
    ['AB-2024/001', ['ab2024001']],
    ['李', ['李']],
    ['100% ada_b', ['100', 'ada_b']],
    ['mail.example', ['mail.example']],
    ['J.R.R. Tolkien', ['j.r.r', 'tolkien']],
    ['user_99', ['user_99']],
    ['user-99', ['user99']],
  ] as const) {
    it(`the words of a search for ${JSON.stringify(typed)} are ${words.join(', ')}`, () =>
      assert.deepEqual(wordsOf(typed), { words }));
  }

  for (const typed of ['x', '%', '-', 'a b c', '"', 'one two three four five six']) {
    it(`a search for ${JSON.stringify(typed)} has no words`, () => assert.ok('fault' in wordsOf(typed)));
  }

  it('the words of a search match the search terms of the same text', () => {
    const email = termsOf({ email: 'user_99.x@mail1.example' }, []);
    for (const typed of ['user_99.x@', 'user_99.x', 'user_99', 'mail1.example', 'mail1']) {
      const search = wordsOf(typed);
      assert.ok('words' in search && search.words.every((word) => email.some((term) => term.startsWith(word))), typed);
    }
    for (const text of [
      'J.R.R.',
      'ada_b',
      'AB-2024/001',
      'ada@mail.example',
      'Anne-Marie',
      '２０２４',
      'ǅungla',
      'İstanbul',
    ]) {
      const terms = termsOf({}, [text]);
      const search = wordsOf(text);
      assert.ok('words' in search && search.words.every((word) => terms.some((term) => term.startsWith(word))), text);
    }
  });
});
