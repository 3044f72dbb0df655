import type { Label, Template } from './template.ts';

/** Directive 2006/126/EC, annex I: the fields of a licence have numbers, the same in every state. */
const LICENCE_LABELS: readonly Label[] = [
  { field: 'surname', pattern: /^1(?=[A-Z]|$)/ },
  { field: 'givenNames', pattern: /^2(?=[A-Z]|$)/ },
  { field: 'birthDate', pattern: /^3(?=\d{6}|$)/ },
  { field: 'issueDate', pattern: /^4A(?=\d|$)/ },
  { field: 'expiryDate', pattern: /^4[B8](?=\d|$)/ },
  { field: 'authority', pattern: /^4C(?=[A-Z]|$)/ },
  { field: 'personalNumber', pattern: /^4D(?=[A-Z0-9]|$)/ },
  { field: 'documentNumber', pattern: /^5(?=[A-Z0-9]{5}|$)/ },
];

/** The names of the licence in the state's languages, and the names of the state on it. */
const LICENCES: readonly (readonly [country: string, titles: readonly string[], issuers: readonly string[]])[] = [
  ['AUT', ['FUHRERSCHEIN'], ['REPUBLIKOSTERREICH', 'OSTERREICH']],
  ['BEL', ['RIJBEWIJS', 'PERMISDECONDUIRE', 'FUHRERSCHEIN'], ['BELGIE', 'BELGIQUE', 'BELGIEN']],
  ['HRV', ['VOZACKADOZVOLA'], ['REPUBLIKAHRVATSKA', 'HRVATSKA']],
  ['CZE', ['RIDICSKYPRUKAZ'], ['CESKAREPUBLIKA']],
  ['DNK', ['KOREKORT'], ['DANMARK', 'KONGERIGETDANMARK']],
  ['EST', ['JUHILUBA'], ['EESTIVABARIIK', 'EESTI']],
  ['FIN', ['AJOKORTTI', 'KORKORT'], ['SUOMI', 'FINLAND']],
  ['FRA', ['PERMISDECONDUIRE'], ['REPUBLIQUEFRANCAISE']],
  ['DEU', ['FUHRERSCHEIN'], ['BUNDESREPUBLIKDEUTSCHLAND', 'DEUTSCHLAND']],
  ['HUN', ['VEZETOIENGEDELY'], ['MAGYARORSZAG', 'MAGYARKOZTARSASAG']],
  ['IRL', ['DRIVINGLICENCE', 'CEADUNASTIOMANA'], ['IRELAND', 'EIRE']],
  ['ITA', ['PATENTEDIGUIDA'], ['REPUBBLICAITALIANA']],
  ['LVA', ['VADITAJAAPLIECIBA'], ['LATVIJASREPUBLIKA', 'LATVIJA']],
  ['LTU', ['VAIRUOTOJOPAZYMEJIMAS'], ['LIETUVOSRESPUBLIKA', 'LIETUVA']],
  ['LUX', ['PERMISDECONDUIRE'], ['GRANDDUCHEDELUXEMBOURG', 'LUXEMBOURG']],
  ['NLD', ['RIJBEWIJS'], ['KONINKRIJKDERNEDERLANDEN', 'NEDERLAND']],
  ['POL', ['PRAWOJAZDY'], ['RZECZPOSPOLITAPOLSKA', 'POLSKA']],
  ['PRT', ['CARTADECONDUCAO'], ['REPUBLICAPORTUGUESA', 'PORTUGAL']],
  ['ROU', ['PERMISDECONDUCERE'], ['ROMANIA']],
  ['SVK', ['VODICSKYPREUKAZ'], ['SLOVENSKAREPUBLIKA']],
  ['SVN', ['VOZNISKODOVOLJENJE'], ['REPUBLIKASLOVENIJA', 'SLOVENIJA']],
  ['ESP', ['PERMISODECONDUCCION', 'PERMISODECONDUCIR'], ['REINODEESPANA', 'ESPANA']],
  ['SWE', ['KORKORT'], ['SVERIGE', 'KONUNGARIKETSVERIGE']],
  ['GBR', ['DRIVINGLICENCE'], ['UK', 'UNITEDKINGDOM', 'DVLA']],
  ['NOR', ['FORERKORT'], ['NORGE', 'NOREG']],
];

/** The labels of identity cards by language. Longer ones come first: a place of birth is no date of birth. */
const CARD_LABELS: readonly Label[] = [
  {
    field: 'birthPlace',
    pattern: /^(GEBURTSORT|LIEUDENAISSANCE|PLACEOFBIRTH|LUGARDENACIMIENTO|LUOGO(EDATA)?DINASCITA|MIEJSCEURODZENIA)/,
  },
  {
    field: 'birthDate',
    pattern:
      /^(GEBURTSTAG|GEBURTSDATUM|DATEDENAISS|DATEOFBIRTH|FECHADENACIMIENTO|DATADINASCITA|DATAURODZENIA|DATUMNAROZENI|DATANASTERII|DATADENASCIMENTO|SUNNIAEG|GIMIMODATA|DATUMRODENJA|GEBOORTEDATUM|FODELSEDATUM|GEBDATUM)/,
  },
  {
    field: 'expiryDate',
    pattern:
      /^(GULTIGBIS|DATEDEXPIR|DATEOFEXPIRY|EXPIRYDATE|VALIDEZ|VALIDOHASTA|FECHADECADUCIDAD|SCADENZA|DATADISCADENZA|TERMINWAZNOSCI|PLATNOSTDO|VALABILITATE|DATADEVALIDADE|VALIDADE|KEHTIVKUNI|GALIOJAIKI|VRIJEDIDO|GELDIGTOT|GILTIGTTOM|ABLAUFDATUM)/,
  },
  {
    field: 'issueDate',
    pattern:
      /^(DATEDEDELIV|DATEOFISSUE|AUSSTELLUNGSDATUM|FECHADEEXPEDICION|DATADIEMISSIONE|DATADIRILASCIO|EMISSIONE|DATAWYDANIA|DATUMVYDANI|DATAEMITERII|UTFARDANDEDATUM|EMISION)/,
  },
  {
    field: 'givenNames',
    pattern:
      /^(PRENOMS?|GIVENNAMES?|VORNAMEN?|NOMBRES?$|NOME$|NOMENAME|IMIONA|JMENO|PRENUME|EESNIMI|VARDAI|IME$|VOORNAMEN|FORNAMN)/,
  },
  {
    field: 'surname',
    pattern:
      /^(NOM$|NOMSURNAME|SURNAME|FAMILIENNAME|NAME$|NAMESURNAME|NACHNAME|APELLIDOS?|COGNOME|NAZWISKO|PRIJMENI|NUME$|NUMENOM|APELIDOS?|PEREKONNANIMI|PAVARDE|PREZIME|NAAM$|EFTERNAMN)/,
  },
  {
    field: 'documentNumber',
    pattern:
      /^(NDUDOCUMENT|NODUDOCUMENT|DOCUMENTN[OR]|CARDN[OR]|NUMSOPORT|IDESP|SERIANUMER|NUMERDOWODU|CISLODOKLADU|DOKUMENTINUMBER|KORTELESN|DOCUMENTNUMMER|NRDOKUMENTU)/,
  },
  { field: 'sex', pattern: /^(SEXE?|SEX0|SESSO|PLEC|POHLAVI|SEXO|GESLACHT|KON|GESCHLECHT|SUGU|SPOL)(?![A-Z])/ },
  { field: 'nationality', pattern: /^(NATIONALIT|NACIONALIDAD|STAATSANG|CITTADINANZA|OBYWATELSTWO)/ },
];

const CARDS: readonly (readonly [country: string, titles: readonly string[], issuers: readonly string[]])[] = [
  ['DEU', ['PERSONALAUSWEIS', 'IDENTITYCARD'], ['BUNDESREPUBLIKDEUTSCHLAND', 'FEDERALREPUBLICOFGERMANY']],
  ['AUT', ['PERSONALAUSWEIS', 'IDENTITYCARD'], ['REPUBLIKOSTERREICH', 'REPUBLICOFAUSTRIA']],
  ['FRA', ['CARTENATIONALEDIDENTITE', 'CARTEDIDENTITE'], ['REPUBLIQUEFRANCAISE']],
  ['ITA', ['CARTADIIDENTITA'], ['REPUBBLICAITALIANA', 'MINISTERODELLINTERNO']],
  ['ESP', ['DOCUMENTONACIONALDEIDENTIDAD'], ['ESPANA', 'REINODEESPANA']],
  ['PRT', ['CARTAODECIDADAO', 'CITIZENCARD'], ['REPUBLICAPORTUGUESA', 'PORTUGAL']],
  ['NLD', ['IDENTITEITSKAART'], ['KONINKRIJKDERNEDERLANDEN', 'NEDERLAND']],
  ['BEL', ['IDENTITEITSKAART', 'CARTEDIDENTITE', 'PERSONALAUSWEIS'], ['BELGIE', 'BELGIQUE', 'BELGIEN', 'BELGIUM']],
  ['POL', ['DOWODOSOBISTY'], ['RZECZPOSPOLITAPOLSKA']],
  ['CZE', ['OBCANSKYPRUKAZ'], ['CESKAREPUBLIKA', 'CZECHREPUBLIC']],
  ['ROU', ['CARTEDEIDENTITATE', 'IDENTITYCARD'], ['ROMANIA', 'ROUMANIE']],
  ['EST', ['ISIKUTUNNISTUS', 'IDENTITYCARD'], ['EESTIVABARIIK', 'REPUBLICOFESTONIA']],
  ['LTU', ['ASMENSTAPATYBESKORTELE'], ['LIETUVOSRESPUBLIKA']],
  ['HRV', ['OSOBNAISKAZNICA'], ['REPUBLIKAHRVATSKA']],
  ['SWE', ['NATIONELLTIDENTITETSKORT', 'IDENTITETSKORT'], ['SVERIGE', 'SWEDEN']],
];

export const EUROPE: readonly Template[] = [
  ...LICENCES.map(
    ([country, titles, issuers]): Template => ({
      id: `${country}-dl`.toLowerCase(),
      country,
      type: 'drivingLicence',
      titles,
      issuers,
      dates: 'DMY',
      labels: LICENCE_LABELS,
      sides: 2,
    }),
  ),
  ...CARDS.map(
    ([country, titles, issuers]): Template => ({
      id: `${country}-id`.toLowerCase(),
      country,
      type: 'identityCard',
      titles,
      issuers,
      dates: 'DMY',
      labels: CARD_LABELS,
      sides: 2,
    }),
  ),
];
