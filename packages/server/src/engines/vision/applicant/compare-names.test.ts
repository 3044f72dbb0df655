import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareNames, type DocumentName } from './compare-names.ts';

type Case = readonly [firstName: string, lastName: string, given: string, surname: string];

const compare = ([firstName, lastName, givenNames, surname]: Case, more: Partial<DocumentName> = {}) =>
  compareNames({ firstName, lastName }, { givenNames: givenNames, surname, ...more });

const agree = { firstName: 'agrees', lastName: 'agrees' };

function allAgree(cases: readonly Case[], more?: Partial<DocumentName>): void {
  for (const each of cases) assert.deepEqual(compare(each, more), agree, each.join(' | '));
}

function noneAgrees(cases: readonly Case[], more?: Partial<DocumentName>): void {
  for (const each of cases) assert.notDeepEqual(compare(each, more), agree, each.join(' | '));
}

describe('an expected name that agrees with the document', () => {
  it('an expected name agrees with the name on the document in every spelling that ICAO 9303 has for a letter', () => {
    allAgree([
      ['Jörg', 'Müller', 'JOERG', 'MUELLER'],
      ['Jörg', 'Müller', 'JORG', 'MULLER'],
      ['jörg', 'MÜLLER', 'Jörg', 'Müller'],
      ['Zoë', 'Weiß', 'ZOE', 'WEISS'],
      ['Åsa', 'Ångström', 'AASA', 'AANGSTROEM'],
      ['Søren', 'Kjærgaard', 'SOEREN', 'KJAERGAARD'],
      ['Þóra', 'Guðmundsdóttir', 'THORA', 'GUDMUNDSDOTTIR'],
      ['Łucja', 'Dąbrowska', 'LUCJA', 'DABROWSKA'],
      ['Begoña', 'Núñez', 'BEGONA', 'NUNEZ'],
      ['Gökçe', 'Yıldırım', 'GOKCE', 'YILDIRIM'],
      ['Trần', 'Nguyễn', 'TRAN', 'NGUYEN'],
      ['Юлия', 'Иванова', 'IULIIA', 'IVANOVA'],
      ['Олексій', 'Гриценко', 'OLEKSII', 'HRYTSENKO'],
      ['Γεώργιος', 'Παπαδόπουλος', 'GEORGIOS', 'PAPADOPOULOS'],
    ]);
  });

  it('an expected name agrees with the name on the document whatever separates its words', () => {
    allAgree([
      ['Anna-Maria', 'Eriksson', 'ANNA MARIA', 'ERIKSSON'],
      ['Annamaria', 'Eriksson', 'ANNA MARIA', 'ERIKSSON'],
      ['Jean Luc', "O'Connor", 'JEAN-LUC', 'O CONNOR'],
      ['Ian', 'MacDonald', 'IAN', 'MAC DONALD'],
      ['Kim', 'Vandenberg', 'KIM', 'VAN DEN BERG'],
      ['  Ada ', ' Byrne', 'ADA', 'BYRNE'],
    ]);
  });

  it('an expected name agrees with the name on the document if the document has more given names, in another order', () => {
    allAgree([
      ['Anna', 'Eriksson', 'ANNA MARIA', 'ERIKSSON'],
      ['Maria', 'Eriksson', 'ANNA MARIA', 'ERIKSSON'],
      ['Maria Anna', 'Eriksson', 'ANNA MARIA', 'ERIKSSON'],
      ['Anna M.', 'Eriksson', 'ANNA MARIA', 'ERIKSSON'],
      ['Anna Maria', 'Eriksson', 'ANNA M', 'ERIKSSON'],
    ]);
  });

  it('an expected name agrees with the name on the document if the document has a double surname, or particles at another place', () => {
    allAgree([
      ['Ana', 'García', 'ANA', 'GARCIA LOPEZ'],
      ['Ana', 'García-López', 'ANA', 'GARCIA LOPEZ'],
      ['Rui', 'Santos', 'RUI', 'SILVA DOS SANTOS'],
      ['Ursula', 'von der Leyen', 'URSULA', 'LEYEN'],
      ['Ursula', 'Leyen', 'URSULA', 'VON DER LEYEN'],
      ['Omar', 'Al-Hassan', 'OMAR', 'HASSAN'],
    ]);
  });

  it('an expected name agrees with the name on the document if only a patronymic is missing', () => {
    allAgree([
      ['Ivan Sergeevich', 'Petrov', 'IVAN', 'PETROV'],
      ['Иван Сергеевич', 'Петров', 'IVAN', 'PETROV'],
      ['Leyla Rashid qizi', 'Aliyeva', 'LEYLA RASHID', 'ALIYEVA'],
    ]);
  });

  it('an expected name agrees with the name on the document if given name and surname are swapped, or a word is in the other part', () => {
    allAgree([
      ['Eriksson', 'Anna', 'ANNA MARIA', 'ERIKSSON'],
      ['Van An', 'Nguyen', 'NGUYEN', 'VAN AN'],
      ['Anna', 'Maria Eriksson', 'ANNA MARIA', 'ERIKSSON'],
    ]);
  });

  it('an expected name agrees with the name on the document if the zone is full and holds its beginning', () => {
    allAgree(
      [
        ['Nilavadhanananda Chayapa', 'Papandropoulous', 'NILAVADHANANANDA CHAY', 'PAPANDROPOULOUS'],
        ['Nilavadhanananda Chayapa Dejthamrong', 'Papandropoulous', 'NILAVADHANANANDA CHAYAPA', 'PAPANDROPOULOUS'],
        ['Nilavadhanananda', 'Papandropoulous', 'NILAVADHAN', 'PAPANDROPOULOUS'],
      ],
      { isTruncated: true },
    );
  });

  it('an expected name agrees with the name on the document if the print does not separate its parts', () => {
    const full = 'ERIKSSON, ANNA MARIA';
    assert.deepEqual(
      compareNames({ firstName: 'Anna', lastName: 'Eriksson' }, { givenNames: '', surname: '', full }),
      agree,
    );
    assert.deepEqual(compareNames({ lastName: 'Eriksson' }, { givenNames: '', surname: '', full }), {
      lastName: 'agrees',
    });
    assert.notDeepEqual(
      compareNames({ firstName: 'Eva', lastName: 'Eriksson' }, { givenNames: '', surname: '', full }),
      agree,
    );
  });
});

describe('an expected name that does not agree with the document', () => {
  it('an expected name does not agree with the name of another person', () => {
    for (const each of [
      ['Ada', 'Byrne', 'ANNA MARIA', 'ERIKSSON'],
      ['Иван', 'Петров', 'ANNA', 'ERIKSSON'],
    ] as const) {
      assert.deepEqual(compare(each), { firstName: 'differs', lastName: 'differs' });
    }
  });

  it('an expected name does not agree with that of a relative, who has only one part in common', () => {
    assert.deepEqual(compare(['Erik', 'Eriksson', 'ANNA MARIA', 'ERIKSSON']), {
      firstName: 'differs',
      lastName: 'agrees',
    });
    assert.deepEqual(compare(['Anna', 'Byrne', 'ANNA MARIA', 'ERIKSSON']), {
      firstName: 'agrees',
      lastName: 'differs',
    });
  });

  it('an expected name does not agree with a name that is only similar', () => {
    for (const [firstName, likeness] of Object.entries({
      Ana: 'similar',
      'A.': 'similar',
      Bob: 'differs',
      Anja: 'similar',
    })) {
      assert.equal(compare([firstName, 'Eriksson', 'ANNA', 'ERIKSSON']).firstName, likeness, firstName);
    }
    assert.equal(compare(['Anna', 'Kowalski', 'ANNA', 'KOWALSKA']).lastName, 'similar');
    assert.equal(compare(['Anna', 'Smith Jones', 'ANNA', 'SMITH']).lastName, 'similar');
    assert.equal(compare(['Anna Maria', 'Smith', 'ANNA', 'SMITH']).firstName, 'similar');
  });

  it('an expected name does not agree by a particle, an initial, a beginning or a repeated word alone', () => {
    noneAgrees([
      ['Ursula', 'Von', 'URSULA', 'VON DER LEYEN'],
      ['Anna E.', 'Eriksson', 'ANNA BETH', 'ERIKSSON'],
      ['Ann', 'Eriksson', 'ANNABELLE', 'ERIKSSON'],
      ['Anna Anna', 'Eriksson', 'ANNA', 'ERIKSSON'],
      ['Eriksson', 'Eriksson', 'ANNA', 'ERIKSSON'],
    ]);
  });

  it('an expected name does not agree with another name in a zone that is full', () => {
    noneAgrees(
      [
        ['Nilavadhanananda Chayapa', 'Papandropoulous', 'NILAVADHANANANDA DEJ', 'PAPANDROPOULOUS'],
        ['Chayapa', 'Papandropoulous', 'NILAVADHANANANDA DEJTHAM', 'PAPANDROPOULOUS'],
        ['Ada', 'Byrne', 'NILAVADHANANANDA DEJTHAM', 'PAPANDROPOULOUS'],
      ],
      { isTruncated: true },
    );
  });

  it('an expected name does not agree if it cannot be compared', () => {
    assert.deepEqual(compare(['山田', 'محمد', 'ANNA', 'ERIKSSON']), {
      firstName: 'notComparable',
      lastName: 'notComparable',
    });
    assert.deepEqual(compare(['Ada', 'Sukarno', '', 'SUKARNO']), { firstName: 'notComparable', lastName: 'agrees' });
  });

  it('an expected name may be very long, and does not agree', () => {
    noneAgrees([['a-'.repeat(500), 'b'.repeat(1000), 'C '.repeat(100), 'D'.repeat(200)]]);
  });
});
