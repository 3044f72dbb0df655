/**
 * What an automatic acceptance needs, by the assurance that the definition asks for. `basic`: an answered challenge where
 * a face is asked for, no signs of an attack, and the expected person. `substantial`: a human or a second factor besides.
 * Pure.
 */
export type AssuranceLevel = 'basic' | 'substantial';

export type SecondFactor = 'passkey';

/** Why a journey that would pass goes to a human. */
export type Gap =
  | 'applicant_not_matched'
  | 'liveness_not_shown'
  | 'document_in_doubt'
  | 'second_factor_missing'
  | 'value_corrected';
