/** Why a check said what it said, and what would change it, for somebody who does not know our words. */
const SENTENCES: Readonly<Record<string, string>> = {
  engine_not_available: 'Nothing looked at it, because that part of Grove is not installed or switched off.',
  uncertain: 'The machine could not tell. A clearer picture may decide it.',
  challenge_answered: 'The person made the movements that were asked for.',
  challenge_missing: 'No movements were asked for, so nothing shows that a live person was there.',
  no_attack_seen: 'Nothing pointed to a photograph, screen or mask.',
  no_signs_found: 'No signs of a forgery were found. That is not proof that there is none.',
  not_live: 'The face looks like a picture of a face. A new selfie in better light may pass.',
  candidate_found: 'Somebody on a watchlist resembles this person. Compare them before you decide.',
  blurred: 'The picture is blurred.',
  too_dark: 'The picture is too dark.',
  glare: 'A reflection hides a part of the document.',
  photocopy: 'It looks like a photocopy.',
  copy: 'It looks like a copy or a picture of a screen.',
  unable: 'The person said that this step is not possible for them.',
  type_not_accepted: 'This kind of document is not accepted by the definition.',
  country_not_accepted: 'Documents of this country are not accepted by the definition.',
  expired: 'The document has expired.',
  specimen: 'It is a specimen, not a real document.',
  sandbox: 'The sandbox made this up: nothing was looked at.',
  not_the_same: 'The face on the document and the selfie are not the same person, as far as the machine can tell.',
  no_face: 'There is no face in the picture.',
  no_document: 'There is no document in the picture.',
  name_differs: 'The name on the document differs from the name that was given.',
  last_name_similar: 'The last names are similar but not the same.',
  not_all_compared: 'Some of the values that were given are not on the document.',
  applicant_not_read: 'The values to compare could not be read from the document.',
  nothing_to_measure: 'There was nothing to compare.',
  face_not_passed: 'The face was not good enough to be compared.',
  step_broke: 'A step ended with an error.',
  consent_declined: 'The person did not agree.',
  child_declined: 'A part of the process was declined.',
};

export function plainReason(reason: string): string {
  return SENTENCES[reason] ?? `${reason.charAt(0).toUpperCase()}${reason.slice(1).replaceAll('_', ' ')}.`;
}

/** A reason of the queue is `<step>:<reason>`. */
export function plainQueueReason(text: string): string {
  const at = text.indexOf(':');
  return plainReason(at < 0 ? text : text.slice(at + 1));
}
