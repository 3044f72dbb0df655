/**
 * Every numeric code an answer can carry, with the caller's message. Codes below 100000 are those of the specification
 * and of the service it describes; ours start at 100000. A code is a literal wherever it is raised, so a search for the
 * number finds its meaning here, its condition in the code and its proof in a test title.
 */
export type CatalogueEntry = { readonly status: number; readonly message: string };
type Catalogue = Readonly<Record<number, CatalogueEntry>>;

const at =
  (status: number) =>
  (message: string): CatalogueEntry => ({ status, message });
const unauthorized = at(401);
const bad = at(400);
const missing = at(404);

export const generalCodes = {
  1: { status: 500, message: 'Unexpected error' },
  7: { status: 403, message: 'Access denied' },
  130: { status: 404, message: 'API key not found' },
  220: unauthorized('The bearer token cannot be parsed'),
  221: unauthorized('The bearer token has no header'),
  222: unauthorized('The bearer token has no kid'),
  223: unauthorized('The bearer token has no alg'),
  224: unauthorized('The bearer token has no body'),
  225: unauthorized('The bearer token has the wrong issuer'),
  226: unauthorized('The credential belongs to another tenant'),
  264: bad('A permission has an unknown type'),
  271: unauthorized('The API key failed validation'),
  274: unauthorized('The bearer token is malformed'),
  275: unauthorized('A claim of the bearer token has the wrong type'),
  276: unauthorized('The signature of the bearer token is invalid'),
  277: unauthorized('The bearer token has the wrong format'),
  278: unauthorized('A claim of the bearer token is invalid'),
  279: unauthorized('The bearer token has expired'),
  280: unauthorized('The bearer token is not valid yet'),
  281: unauthorized('A claim of the bearer token has the wrong value'),
  282: unauthorized('A claim of the bearer token is missing'),
} as const satisfies Catalogue;

export const groveCodes = {
  100001: bad('The request has invalid input'),
  100002: bad('The body is not valid JSON'),
  100003: at(404)('No resource exists at this address'),
  100004: at(405)('This address does not support this method'),
  100005: at(413)('The body is too large'),
  100006: at(415)('The body must be application/json'),
  100007: at(429)('Too many requests'),
  100008: unauthorized('A credential is required'),
  100010: at(503)('The service is not ready; try again shortly'),
  100011: at(409)('A request with this Idempotency-Key is still being served'),
  100012: at(422)('This Idempotency-Key was used with another request'),
  100013: at(421)('This server does not serve that region'),
  100014: at(409)('The name is already in use'),
  100015: at(403)('A caller can grant only permissions that it holds'),
  100017: at(409)('The tenant has reached its limit of API keys'),
  100018: at(408)('The request took too long to arrive'),
  100019: at(431)('The request headers are too large'),
  100020: at(507)('There is no storage space left'),
  100021: missing('Process token not found'),
  100022: missing('Process instance not found'),
  100023: missing('Process definition not found'),
  100024: bad('The process token is not active'),
  100025: bad("The redirect address is not on the tenant's allow list"),
  100026: bad('There is no user data item at this path'),
  100027: missing('Identity store not found'),
  100028: missing('User not found'),
  100029: missing('Relying party not found'),
  100030: missing('Policy not found'),
  100031: missing('Passkey not found'),
  100032: missing('Appkey not found'),
  100033: missing('Device not found'),
  100034: missing('Push notification not found'),
  100035: missing('Session not found, expired or already used'),
  100036: missing('Event query not found'),
  100037: at(409)('The external id is already in use'),
  100038: at(409)('The user has reached the limit of passkeys for this relying party'),
  100039: at(429)('The user has reached the limit of push notifications; try again later'),
  100040: bad('No device of the user can receive a push notification'),
  100041: missing('Watchlist not found'),
  100042: missing('Custom page not found'),
  100043: bad('The policy does not accept a challenge chosen by the caller'),
  100044: bad('The process token has expired'),
  100045: bad('The process token is not valid yet'),
  100046: bad('The process token has no uses left'),
  100047: bad('The process definition is not deployed'),
  100048: bad('The process definition has errors'),
  100049: at(409)('The process definition can no longer be changed'),
  100054: unauthorized('The journey needs the cookie that its one-time code sets'),
  100055: at(410)('The one-time code is unknown, used or expired'),
  100056: at(409)('The journey is waiting for something else'),
  100057: at(409)('The journey has ended'),
  100058: at(409)('The journey runs on another device'),
  100059: bad('The image cannot be used'),
  100060: at(409)('Another reviewer has claimed the review'),
  100061: at(409)('The process instance is not waiting for a review'),
  100062: at(409)('The process instance is not paused'),
  100063: missing('Tag not found'),
  100064: missing('There is no device hand-off to answer'),
  100065: at(409)('The tenant has reached its limit for this resource'),
  100067: at(403)('The request comes from another site'),
  100070: missing('Webhook not found'),
  100071: bad('The address of the webhook is not allowed'),
  100072: missing('Delivery not found'),
  100073: missing('Cloud secret not found'),
  100080: at(409)('The clocks of the server and the database disagree, so nothing is deleted'),
  100081: missing('No erasure of this process instance is recorded'),
  100082: bad('The identity store is not active'),
  100083: at(409)('The identity store has reached its limit of users'),
  100093: bad('The attestation of the passkey is not accepted'),
  100094: at(409)('The passkey is already registered'),
  100095: bad('The archive of the custom page was rejected'),
  100096: at(409)('The custom page can no longer be changed'),
  100097: missing('Theme not found'),
  100098: bad('The colours of the theme have too little contrast'),
  100099: bad('The file cannot be used in a theme'),
  100170: bad('A text of the theme cannot be used'),
  100100: missing('Watchlist member not found'),
  100101: at(409)('The watchlist has reached its limit of members'),
  100102: bad('The image shows no face that can be compared'),
  100103: at(409)('The watchlist is not active'),
  100104: at(409)('The watchlist already has this member'),
  100110: at(409)('An appkey with this key id is already registered'),
  100116: at(409)('The user has reached the limit of appkeys'),
  100120: at(409)('The push notification has ended, or cannot change to this status'),
  100130: at(409)('This step has no challenge'),
  100131: at(429)('This attempt has no challenges left'),
  100132: at(409)('The challenge is unknown, used or expired'),
  100180: at(400)('The signature does not match the frame, its token and its key'),
  100135: at(503)('The pages of the journey have not been built'),
  100142: at(409)('This step has nothing to start'),
  100155: at(409)('The images cannot be used as they are'),
  100156: missing('Image not found'),
  100160: at(409)('This server does not send messages of this kind'),
  100161: at(429)('The limit of messages has been reached'),
  100162: bad('There is no address to send the message to'),
  100230: missing('Request not found'),
  100231: at(409)('The request is not finished, or has no result to download'),
  100232: at(409)('The step cannot be done again'),
  100233: at(403)('Only a journey of the sandbox has outcomes to choose from'),
  100234: missing('Single sign-on is not set up'),
  100235: bad('The provider of single sign-on did not answer as it should'),
  100236: at(403)('The provider of single sign-on did not confirm who you are'),
  100237: at(403)('Your account is in no group that has a role here'),
  100238: at(403)('The operator with this account or e-mail address cannot sign in this way'),
  100239: at(409)('You have no passkey or authenticator app; sign in again to confirm this'),
  100240: at(403)('A page of this origin may not frame the journey'),
  100191: at(429)('The API key has reached its limit of persons read per hour'),
  100210: unauthorized('Sign in to the console first'),
  100211: at(403)('Use your passkey again to confirm this'),
  100212: at(409)('The tenant must keep an owner who can sign in'),
  100213: missing('Operator not found'),
  100214: missing('Role not found, or it comes with Grove and cannot be changed'),
  100215: at(409)('Operators still have this role'),
  100216: at(429)('Too many attempts failed; signing in is locked for a while'),
  100217: at(421)('The console is served at the address of the tenant'),
  100218: at(403)('The passkey was not accepted'),
  100219: at(410)('The link is unknown, used or expired'),
  100220: at(409)('The last way to sign in cannot be deleted'),
  100221: at(403)('The operator may not work in this environment'),
  100350: at(403)('The code of the authenticator app was not accepted'),
  100300: at(409)('You have given your verdict already; a different person has to give the other one'),
  100290: at(500)('The stored image is missing; the operator must look at where images are kept'),
  100320: at(403)('The tenant is suspended'),
  100190: bad('The number does not match the one shown to the user'),
} as const satisfies Catalogue;

/** App key authentication, with a session and without. */
export const appkeyCodes = {
  502: bad('The user is not active'),
  1009: bad('Session data is not provided'),
  1011: bad('The session data is missing the challenge'),
  1012: bad('The session data is missing the relying party id'),
  1014: bad('Session data is given but session management is internal'),
  1017: bad('The client response is not an authentication'),
  1026: bad('The client application is not in the trusted facets of the policy'),
  1029: bad('The session challenge differs from the challenge in the client response'),
  1035: bad('The appkey type is not supported'),
  1055: bad('The session data is missing the policy'),
  1056: bad('The session data is missing the authentication policy name'),
  1058: bad('No appkey matches the key id in the assertion'),
  1059: bad('The appkey is not registered to the expected user'),
  1060: bad('The appkey is not active'),
  1061: bad('Possible clone: the signature count is lower than expected'),
  1090: bad('The single-shot challenge timestamp is outside the valid window'),
  1091: bad('The authentication response is malformed'),
  1092: bad('The response contains no authentication responses'),
  1093: bad('The response contains several authentication responses'),
  1102: bad('The authentication failure response is malformed'),
  1104: bad('The authentication failed on the client'),
  1105: bad('The authentication was cancelled by the client'),
  1115: bad('Success or failure response data is not provided'),
  2100: bad('The user is locked'),
  2101: bad('This authentication method is locked for the user'),
  100111: bad('The policy does not accept the authenticator'),
  100112: bad('The assertion has no valid signature'),
  100113: bad('The confirmed transaction is not the requested one'),
} as const satisfies Catalogue;

/** Appkey registration, beside what it shares with authentication. */
export const appkeyRegistrationCodes = {
  100114: bad('The attestation of the appkey is not trusted'),
  100115: bad('The registration response is malformed'),
} as const satisfies Catalogue;

/** Passkey authentication with a session. */
export const passkeyCodes = {
  348: bad('The passkey for the credential id is not active'),
  352: bad('The client response is a registration, not an authentication'),
  353: bad('The challenge differs from the challenge signed in the assertion'),
  354: bad('The origin is not in the restricted origins list'),
  356: bad('The token binding does not match, or its status is missing'),
  362: bad('There is no passkey for the credential id'),
  363: bad('The passkey is not registered to the expected user'),
  364: bad('The credential is not allowed, or no user handle was found for the passkey and relying party id'),
  365: bad('The user handle in the assertion differs from the expected one'),
  372: bad('Possible cloned authenticator: the signature counter is out of sync'),
  382: bad('The origin does not start with https'),
  383: bad('The origin does not match the relying party id'),
  388: bad('Session data is given but session management is internal'),
  395: bad('Success or failure response data is not provided'),
  397: bad('The passkey authentication failed on the client'),
  398: bad('The passkey authentication was cancelled on the client'),
  403: bad('The passkey authentication timed out on the client'),
  100090: bad('The response of the passkey is malformed'),
  100091: bad('The signature of the passkey is invalid'),
  100092: bad('The user was not present, or not verified as the policy requires'),
  100200: bad('The ceremony ran in a frame of a page that is not allowed to embed it'),
  502: appkeyCodes[502],
  2100: appkeyCodes[2100],
  2101: appkeyCodes[2101],
} as const satisfies Catalogue;

/** Face authentication. */
export const faceCodes = {
  8: bad('The face algorithm is not supported'),
  2005: bad('The biometric type is not supported'),
  2006: bad('The biometric subtype is not supported'),
  2100: appkeyCodes[2100],
  2101: appkeyCodes[2101],
  2102: bad('The user is disabled'),
  2103: bad('The presented biometric is disabled'),
  20114: bad('Biometric data is not supplied'),
  20115: bad('The specified biometric type is not supported'),
  20120: bad('Unexpected error while generating the face template'),
  20121: bad('Error during face match'),
  20122: bad('There is no suitable face data to match against'),
  20123: bad('The matching process data is missing'),
  20124: bad('The matching algorithm is missing'),
  20125: bad('The matching threshold must be between 0 and 1'),
  20126: bad('The internal matching threshold must be between 0 and 1'),
  100140: bad('The face does not match the user'),
} as const satisfies Catalogue;

/** Face enrolment, beside what it shares with authentication. */
export const faceRegistrationCodes = {
  100141: bad('The image of the face is not good enough to be enrolled'),
} as const satisfies Catalogue;

/** TOTP registration and authentication. The specification names no codes for them, so these are ours. */
export const totpCodes = {
  502: appkeyCodes[502],
  2100: appkeyCodes[2100],
  2101: appkeyCodes[2101],
  100051: bad('The one-time code is wrong'),
  100052: bad('The one-time code was already used'),
  100053: bad('The user has no TOTP for this policy'),
} as const satisfies Catalogue;

/** It ran, and the answer is no: such an answer carries the updated user. */
export const refusalCodes = {
  ...appkeyCodes,
  ...appkeyRegistrationCodes,
  ...passkeyCodes,
  ...faceCodes,
  ...faceRegistrationCodes,
  ...totpCodes,
} as const;

export const catalogue = { ...generalCodes, ...groveCodes, ...refusalCodes } as const;

export type ErrorCode = keyof typeof catalogue;

/** The codes of a catalogue, as a row of the contract lists them. */
export function codesOf<C extends Catalogue>(codes: C): readonly (keyof C & number)[] {
  return Object.keys(codes).map(Number) as (keyof C & number)[];
}
