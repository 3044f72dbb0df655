import type { Label, Template } from './template.ts';

/**
 * Licences and identity cards of North America. The AAMVA card design standard gives every element a number and a short
 * label; older cards have the label alone. Readers confuse 0 and O, 8 and B, 5 and S, 1 and I in them.
 */
export const AAMVA_LABELS: readonly Label[] = [
  { field: 'birthDate', pattern: /^(3?D[O0Q][B8E]|3[D0][O0Q][B8E]|3?(DATEOFBIRTH|BIRTHDATE))/ },
  {
    field: 'expiryDate',
    pattern: /^(4[B86D])?(EXP(IRES|IRATIONDATE|IRATION|IRYDATE|DATE)?|DATEOFEXP(IRATION|IRY)?)(?![A-Z])/,
  },
  {
    field: 'issueDate',
    pattern: /^(4A)?([I1L][S5][S5](UED|UEDATE|UE|DATE)?|SSUEDATE|DATEOFISSUE)(?![A-Z])|^4A[S5][S5](?![A-Z])/,
  },
  {
    field: 'documentNumber',
    pattern:
      /^(4?D)?(DRIVERLICENSE(NO|NUMBER)|LICENSE(IDNO|NO|NUMBER)?|CREDENTIALIDENTIFIER|IDNUMBER|OPERATORLICENSENO|CUSTOMERIDENTIFIER|CUSTOMERID|LIC(NO|N[O0])?|DLN[O0]?|DLNUMBER|DL|[O0]LN|IDN[O0]?|ID|N[O0]|NUMBER)(?=[A-Z]{0,3}\d|$)/,
  },
  { field: 'documentNumber', pattern: /^4D(?=[A-Z]{0,3}\d|$)/ },
  { field: 'surname', pattern: /^1?(LN|LASTNAME|FAMILYNAME|SURNAME)/ },
  { field: 'givenNames', pattern: /^2?(FN|FIRSTNAME|GIVENNAMES?)/ },
  { field: 'sex', pattern: /^(15)?SEX/ },
];

/** The titles that tell the kind of card. */
const LICENCE_TITLES = [
  'DRIVERLICENSE',
  'DRIVERSLICENSE',
  'DRIVINGLICENSE',
  'DRIVERLICENCE',
  'DRIVERSLICENCE',
  'OPERATORLICENSE',
  'OPERATORSLICENSE',
  'CHAUFFEURLICENSE',
  'PERMISDECONDUIRE',
  'COMMERCIALDRIVER',
] as const;

const CARD_TITLES = [
  'IDENTIFICATIONCARD',
  'IDENTITYCARD',
  'NONDRIVERID',
  'PERSONALIDENTIFICATION',
  'PHOTOCARD',
] as const;

/** Code, name, and the shapes of its numbers, written without spaces and dashes. */
type Row = readonly [code: string, name: string, numbers: readonly RegExp[], more?: Partial<Template>];

const STATES: readonly Row[] = [
  ['AL', 'ALABAMA', [/^\d{7,8}$/], { names: 'givenFirst' }],
  ['AK', 'ALASKA', [/^\d{7}$/]],
  ['AZ', 'ARIZONA', [/^[A-Z]\d{8}$/, /^\d{9}$/]],
  ['AR', 'ARKANSAS', [/^\d{8,9}$/], { names: 'surnameFirst' }],
  ['CA', 'CALIFORNIA', [/^[A-Z]\d{7}$/]],
  ['CO', 'COLORADO', [/^\d{9}$/]],
  ['CT', 'CONNECTICUT', [/^\d{9}$/]],
  ['DE', 'DELAWARE', [/^\d{6,7}$/]],
  ['DC', 'DISTRICTOFCOLUMBIA', [/^\d{7}$/, /^\d{9}$/]],
  ['FL', 'FLORIDA', [/^[A-Z]\d{12}$/], { names: 'givenFirst' }],
  ['GA', 'GEORGIA', [/^\d{8,9}$/], { names: 'givenFirst' }],
  ['HI', 'HAWAII', [/^[A-Z]\d{8}$/, /^\d{9}$/]],
  ['ID', 'IDAHO', [/^[A-Z]{2}\d{6}[A-Z]$/, /^\d{9}$/]],
  ['IL', 'ILLINOIS', [/^[A-Z]\d{11}$/]],
  ['IN', 'INDIANA', [/^\d{10}$/, /^[A-Z]\d{9}$/]],
  ['IA', 'IOWA', [/^\d{3}[A-Z]{2}\d{4}$/, /^\d{9}$/]],
  ['KS', 'KANSAS', [/^[A-Z]\d{8}$/, /^\d{9}$/], { names: 'surnameFirst' }],
  ['KY', 'KENTUCKY', [/^[A-Z]\d{8}$/]],
  ['LA', 'LOUISIANA', [/^\d{8,9}$/]],
  ['ME', 'MAINE', [/^\d{7}$/], { names: 'surnameFirst' }],
  ['MD', 'MARYLAND', [/^[A-Z]\d{12}$/]],
  ['MA', 'MASSACHUSETTS', [/^[A-Z]\d{8}$/, /^SA\d{7}$/, /^\d{9}$/], { names: 'surnameFirst' }],
  ['MI', 'MICHIGAN', [/^[A-Z]\d{12}$/]],
  ['MN', 'MINNESOTA', [/^[A-Z]\d{12}$/]],
  ['MS', 'MISSISSIPPI', [/^\d{9}$/]],
  ['MO', 'MISSOURI', [/^[A-Z]\d{9}$/, /^\d{9}$/, /^\d{3}[A-Z]\d{6}$/], { names: 'surnameFirst' }],
  ['MT', 'MONTANA', [/^\d{13}$/]],
  ['NE', 'NEBRASKA', [/^[A-Z]\d{8}$/]],
  ['NV', 'NEVADA', [/^\d{10}$/], { names: 'surnameFirst' }],
  ['NH', 'NEWHAMPSHIRE', [/^\d{2}[A-Z]{3}\d{5}$/, /^NHL\d{8}$/]],
  ['NJ', 'NEWJERSEY', [/^[A-Z]\d{14}$/]],
  ['NM', 'NEWMEXICO', [/^\d{9}$/], { names: 'surnameFirst' }],
  ['NY', 'NEWYORK', [/^\d{9}$/]],
  ['NC', 'NORTHCAROLINA', [/^\d{12}$/], { names: 'surnameFirst' }],
  ['ND', 'NORTHDAKOTA', [/^[A-Z]{3}\d{6}$/], { names: 'surnameFirst' }],
  ['OH', 'OHIO', [/^[A-Z]{2}\d{6}$/]],
  ['OK', 'OKLAHOMA', [/^[A-Z]\d{9}$/, /^\d{9}$/]],
  ['OR', 'OREGON', [/^\d{7}$/, /^[A-Z]\d{6}$/]],
  ['PA', 'PENNSYLVANIA', [/^\d{8}$/]],
  ['RI', 'RHODEISLAND', [/^\d{7,8}$/]],
  ['SC', 'SOUTHCAROLINA', [/^\d{9}$/]],
  ['SD', 'SOUTHDAKOTA', [/^\d{8}$/], { names: 'surnameFirst' }],
  ['TN', 'TENNESSEE', [/^\d{8,9}$/]],
  ['TX', 'TEXAS', [/^\d{8}$/], { names: 'surnameFirst' }],
  ['UT', 'UTAH', [/^\d{9}$/]],
  ['VT', 'VERMONT', [/^\d{8}$/, /^\d{7}A$/], { names: 'surnameFirst' }],
  ['VA', 'VIRGINIA', [/^[A-Z]\d{8}$/]],
  ['WA', 'WASHINGTON', [/^WDL[A-Z0-9]{9}$/]],
  ['WV', 'WESTVIRGINIA', [/^[A-Z]\d{6}$/, /^\d{7}$/]],
  ['WI', 'WISCONSIN', [/^[A-Z]\d{13}$/]],
  ['WY', 'WYOMING', [/^\d{9}$/]],
];

const PROVINCES: readonly Row[] = [
  ['AB', 'ALBERTA', [/^\d{9}$/]],
  ['BC', 'BRITISHCOLUMBIA', [/^\d{7,8}$/]],
  ['MB', 'MANITOBA', [/^[A-Z0-9]{12}$/]],
  ['NB', 'NEWBRUNSWICK', [/^\d{5,7}$/]],
  ['NL', 'NEWFOUNDLAND', [/^[A-Z]\d{9}$/]],
  ['NS', 'NOVASCOTIA', [/^[A-Z]{5}\d{9}$/]],
  ['NT', 'NORTHWESTTERRITORIES', [/^\d{6}$/]],
  ['NU', 'NUNAVUT', [/^\d{5,9}$/]],
  ['ON', 'ONTARIO', [/^[A-Z]\d{14}$/]],
  ['PE', 'PRINCEEDWARDISLAND', [/^\d{4,6}$/]],
  ['QC', 'QUEBEC', [/^[A-Z]\d{12}$/]],
  ['SK', 'SASKATCHEWAN', [/^\d{8}$/]],
  ['YT', 'YUKON', [/^\d{4,6}$/]],
];

function licenceOf(country: 'USA' | 'CAN', [code, name, numbers, more]: Row): Template {
  return {
    id: `${country}-${code}-DL`.toLowerCase(),
    country,
    region: code,
    type: 'drivingLicence',
    titles: LICENCE_TITLES,
    issuers: [name],
    dates: country === 'USA' ? 'MDY' : 'YMD',
    labels: AAMVA_LABELS,
    numbers,
    sides: 2,
    ...more,
  };
}

/** The identity card of a state is printed like its licence, with another title. */
function cardOf(licence: Template): Template {
  return { ...licence, id: licence.id.replace(/dl$/, 'id'), type: 'identityCard', titles: CARD_TITLES };
}

const LICENCES: readonly Template[] = [
  ...STATES.map((row) => licenceOf('USA', row)),
  ...PROVINCES.map((row) => licenceOf('CAN', row)),
];

export const NORTH_AMERICA: readonly Template[] = [...LICENCES, ...LICENCES.map(cardOf)];
