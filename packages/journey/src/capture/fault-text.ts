/** The texts for the server's reasons against a photograph, as far as the end user can do something about them. */
export const FAULT_TEXTS: Readonly<Record<'card' | 'face', Readonly<Record<string, string>>>> = {
  card: {
    blurred: 'blurred',
    too_dark: 'dark',
    glare: 'glare',
    cut_off: 'cutOff',
    too_small: 'small',
    no_document: 'noDocument',
    two_documents: 'twoDocuments',
    wrong_side: 'wrongSide',
    mrz_missing: 'unreadable',
    mrz_check_digit: 'unreadable',
    check_digits: 'unreadable',
    fields_missing: 'unreadable',
    unreadable: 'unreadable',
    type_not_accepted: 'wrongType',
    country_not_accepted: 'wrongCountry',
    expired: 'expired',
    photocopy: 'original',
    specimen: 'wrongType',
  },
  face: {
    blurred: 'blurred',
    too_dark: 'dark',
    too_bright: 'bright',
    cut_off: 'faceCutOff',
    too_small: 'faceSmall',
    no_face: 'noFace',
    several_faces: 'severalFaces',
    turned_away: 'turnedAway',
    eyes_closed: 'eyesClosed',
    movements_not_seen: 'movements',
    challenge_missing: 'movements',
    too_few_frames: 'movements',
    too_many_frames: 'movements',
    challenge_expired: 'late',
  },
};

/** Reasons without a text of their own get the general one. Some have none on purpose: they would help a fraudster. */
export function faultTextOf(reason: string, kind: 'card' | 'face'): string {
  const entry = Object.entries(FAULT_TEXTS[kind]).find(([word]) => word === reason);
  return entry?.[1] ?? (kind === 'card' ? 'otherCard' : 'otherFace');
}
