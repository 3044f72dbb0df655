/**
 * Stands in for an image in the sandbox: a JSON document that says what the image shows. All samples show the same
 * person, so that document and selfie match.
 */
const PERSON = 'sample';

export function sampleDocument(documentType: string, countryCode: string): Blob {
  return standIn({ documentType, countryCode, person: PERSON });
}

export function sampleSelfie(): Blob {
  return standIn({ person: PERSON, live: true });
}

function standIn(content: object): Blob {
  return new Blob([JSON.stringify(content)], { type: 'application/json' });
}
