/**
 * The requirements of an automatic acceptance, by the assurance level of the definition. `basic`: an answered challenge for
 * each face, no signs of an attack, and the expected person. `substantial`: in addition a human or a second factor. Pure.
 */
export type AssuranceLevel = 'basic' | 'substantial';

export type SecondFactor = 'passkey';

/** The reason why a human decides a journey that would pass. */
export type Gap =
  | 'applicant_not_matched'
  | 'liveness_not_shown'
  | 'document_in_doubt'
  | 'second_factor_missing'
  | 'value_corrected';
