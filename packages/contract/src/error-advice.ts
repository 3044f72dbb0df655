import {
  appkeyCodes,
  appkeyRegistrationCodes,
  catalogue,
  type ErrorCode,
  faceCodes,
  faceRegistrationCodes,
  passkeyCodes,
  totpCodes,
} from './errors.ts';

/** What usually causes a code, and what the caller does about it: for the catalogue of error codes. Pure. */
const OWN: Partial<Record<ErrorCode, string>> = {
  1: 'The server has a defect or a failure. Repeat the call with the same `Idempotency-Key`. Give `requestId` to the operator: the log has the cause.',
  7: 'The key does not hold the permission of the operation, or may not be used from this address. Give the key the permission.',
  130: 'The id is wrong, or the key was deleted.',
  226: 'The host names another tenant than the token. Use the address of the tenant that issued the token.',
  264: 'A permission does not begin with `TNT#<tenant>#`, or names an unknown operation. See the catalogue of permissions.',
  271: 'The API key is wrong, blocked, archived or expired. Find the key in the list of keys.',
  279: 'A token is valid for an hour. Exchange the API key again; the SDK does so by itself.',
  280: 'The clocks of the servers differ. Set them by NTP.',
  348: 'The passkey was disabled. Enable it, or let the user choose another one.',
  354: 'Add the origin to `restrictedOrigins` of the relying party, or use a listed one.',
  372: 'The passkey may have been copied. It stays active: disable it if you believe so.',
  382: 'Serve the page over https.',
  383: 'Use a page at the domain of the relying party, or add its origin to `relatedOrigins`.',
  397: 'The browser reported an error. Let the user try again with a new ceremony.',
  398: 'The user cancelled. Let the user try again with a new ceremony.',
  403: 'The user took too long. Let the user try again with a new ceremony.',
  502: 'The user is `PENDING_ACTIVE` or `DISABLED`. Another attempt does not help until the status is `ACTIVE`.',
  1026: 'Add the application to `trustedFacets` of the relying party.',
  1060: 'The appkey was disabled. Enable it, or let the user register another one.',
  1061: 'The appkey may have been copied. Disable it if you believe so.',
  1104: 'The application reported an error. Let the user try again with a new ceremony.',
  1105: 'The user cancelled. Let the user try again with a new ceremony.',
  2100: '`user.lockInfo` says until when. Wait, or unlock the user.',
  2101: '`user.lockInfo` says until when. Wait, unlock the method, or let the user use another one.',
  2102: 'Another attempt does not help until the status of the user is `ACTIVE`.',
  2103: 'Enable the face of the user, or enrol another one.',
  20121: 'The enrolled face is damaged. Enrol the face again.',
  20122: 'Enrol a face first, or name the algorithm of the enrolled one.',
  100001: '`errors` names each fault and its place. Correct the request; it fails again if you repeat it unchanged.',
  100002: 'The body is incomplete, has a duplicate member, or is not UTF-8.',
  100003: 'The path is misspelt, or does not exist in this release.',
  100004: 'The path is right, but the method is wrong: `Allow` lists the methods.',
  100005: 'Send less at once; the documentation of the operation has the limit.',
  100006: 'Send `Content-Type: application/json`, or the type that the operation names.',
  100007: 'Wait for the time in `Retry-After`; the SDK does so by itself.',
  100008: 'Send `Authorization: Bearer <token>`; to issue a token, send `X-Api-Key`.',
  100010: 'The database does not answer, or the server is starting or stopping. Repeat the call after `Retry-After`.',
  100011: 'Two equal requests came at the same time. Wait, then repeat the call: you get the response of the first.',
  100012: 'Use a new `Idempotency-Key` for each new request.',
  100013:
    'The host names another region, or a tenant that lives in another. Use the address in the message, or the one that `grove start` printed.',
  100014: 'Choose another name, or use the existing object.',
  100015:
    'Use a key that holds all these permissions itself. An operator whose role is masked cannot let others see personal data.',
  100017: 'Delete unused keys.',
  100018: 'The connection is too slow or was left open.',
  100019: 'Send fewer or shorter headers, especially cookies.',
  100020: 'The operator must free disk space. Nothing of the request was stored.',
  100022: 'The id is wrong, belongs to the other environment (live or test), or the instance was deleted.',
  100024: 'Set the process token `ACTIVE`, or use another one.',
  100025: 'Add the origin to `redirectOrigins` of the settings.',
  100026: 'Read `userdata` first: it lists the path of each image.',
  100035: 'A ceremony lasts some minutes and can be completed once. Start a new one.',
  100037: 'Choose another external id, or use the existing user.',
  100038: 'Delete a passkey of the user, or raise `maxPasskeysPerUser` of the policy.',
  100039: 'Wait for the time in `Retry-After`.',
  100040: 'Register a device with a push token first.',
  100043: 'Set `externalChallengeAllowed` in the policy, or let Grove choose the challenge.',
  100044: 'Create a new process token, or change `notAfterDtm`.',
  100045: 'Wait until `notBeforeDtm`.',
  100046: 'The token had a limited number of uses. Create a new one.',
  100047: 'Deploy the version, or name another one.',
  100048: '`errors` names each fault with its place in the document.',
  100049: 'A deployed version never changes. Create a new version.',
  100053: 'Register a TOTP of the user for this policy first.',
  100054: 'The browser blocks cookies, or it is not the browser that opened the link. Send the end user a new link.',
  100055: 'Start links work once. Create a new one: `POST …/processInstances/{id}/resumeLink`.',
  100056: 'Another tab or request was faster, or the instance has not come so far. Read it again.',
  100057: 'The journey accepts nothing more. Read the result.',
  100058: 'Continue on the other device, or take the journey back.',
  100059: 'Ask for another picture: `reason` says what is wrong with it.',
  100060: 'Choose another review, or wait until the claim ends.',
  100065: 'Delete what is not needed, or ask the operator.',
  100067: 'A browser may send this request only from Grove’s own pages.',
  100071: 'Only public https addresses are allowed, unless the operator lists others in `GROVE_OUTBOUND_ALLOW`.',
  100080: 'The operator must correct the clocks.',
  100082: 'Set the store `ACTIVE`.',
  100083: 'Raise `maxUsers` of the store, or delete users.',
  100093: 'Use an authenticator that the policy accepts, or change the policy.',
  100094: 'The user can sign in with this passkey. To register it again, delete it first.',
  100098: 'Choose colours with at least the contrast that `errors` names.',
  100101: 'Raise `maxSize` of the watchlist, or remove members.',
  100103: 'Set the watchlist `ACTIVE`.',
  100116: 'Delete an appkey of the user.',
  100131: 'The attempt has used all its challenges. Offer the end user a human.',
  100132: 'Start a new challenge.',
  100135:
    'The server was started without built pages. In a repository, `grove start` builds them; the package of a release contains them.',
  100160: 'The operator has not set `SMTP_URL`, or no provider of push notifications.',
  100161: 'Wait for the time in `Retry-After`.',
  100190: 'There is one guess. Send a new push notification.',
  100191:
    'The budget is for one hour. If the reads are intended, raise the budget in the settings; otherwise the key may be stolen.',
  100200: 'Add the page around the frame to `topOrigins` of the relying party.',
  100210: 'The session of the operator is missing or has ended. Sign in again.',
  100211: 'The operator uses the passkey again. Then repeat the call.',
  100218: 'Try again. Five failed attempts lock the operator for a while.',
  100221: 'Choose an environment in which a role of the operator works.',
  100230: 'The id is wrong, or the request has expired and was removed.',
  100231: 'Read the request again until it is done.',
  100233: 'Use a test key.',
  100235:
    'Check `issuer`, the client secret, and whether the host may be called (`GROVE_OUTBOUND_ALLOW`). The server’s log has the cause.',
  100236: 'Sign in again. If it fails again, the server’s log has the response of the provider.',
  100237: 'Add a group of the account to `roles` of single sign-on, or add the account to such a group.',
  100238:
    'The operator is suspended or has a passkey, or the provider has not verified the e-mail address. If you reset the operator, the next sign-in links the account.',
  100239: 'Sign in again, then repeat the call.',
  100240: 'Add the origin to `embedOrigins` of the settings.',
  100300: 'A different operator has to decide.',
  100320:
    'The operator of the installation has suspended the tenant, or is deleting it. Ask the operator; a repeated call does not help.',
  100350: 'Enter the current code of the app. Five wrong codes lock the operator for a while.',
  100351: 'Read the object again, compare it, and send your change with the new `lastUpdatedDtm`.',
  100352:
    'The person who runs the server grants this: `grove operator installation ID --tenant TENANT`. A reset of the operator ends it.',
  100354: 'The tenant is being deleted, or it is the tenant of the calling operator.',
  100360: 'Let two operators decide in the console.',
  100364:
    'The verdict and the checks are still there: read the instance, its events, its checks or its signed result. The data does not come back.',
  100366: 'Use a role that is not masked.',
  100368: 'Read the export again until it is ready.',
};

/** The request does not fit the operation, whoever the user is. */
const REQUEST_CODES = [
  8, 352, 388, 395, 1009, 1011, 1012, 1014, 1017, 1055, 1056, 1091, 1092, 1093, 1102, 1115, 2005, 2006, 20114, 20115,
  20123, 20124, 20125, 20126,
] as const satisfies readonly ErrorCode[];

const FAMILIES: readonly (readonly [codes: object, advice: string])[] = [
  [
    Object.fromEntries(REQUEST_CODES.map((code) => [code, true])),
    'The request is wrong: correct what the message names. Another attempt of the user does not help.',
  ],
  [
    passkeyCodes,
    'The passkey was refused. Let the user try again with a new ceremony. If it is refused again, check the passkey, or the setting of the relying party that the message names.',
  ],
  [
    { ...appkeyCodes, ...appkeyRegistrationCodes },
    'The appkey was refused. Start a new ceremony. If it is refused again, compare the policy and the session data with the message.',
  ],
  [
    { ...faceCodes, ...faceRegistrationCodes },
    'The face was refused or could not be compared. Ask for another picture; the message says what is missing.',
  ],
  [totpCodes, 'Ask for the current code of the app.'],
];

/** The advice for a code that has no advice of its own and is in no family. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Correct what the message names, then repeat the call.',
  401: 'The token is damaged or forged, or belongs to another installation. Exchange the API key again.',
  403: 'The caller may not do this. A repeated call does not help.',
  404: 'The id or name is wrong or belongs to another tenant or environment, or the object was deleted.',
  409: 'The present state of the object does not allow this. Read the object again.',
  410: 'The code or link works once and for a limited time. Create a new one.',
  421: 'Use the address that the message names.',
  429: 'Wait for the time in `Retry-After`.',
  500: 'Give `requestId` to the operator.',
  503: 'Repeat the call after `Retry-After`.',
};

export function adviceOf(code: ErrorCode): string {
  const own = OWN[code];
  if (own !== undefined) return own;
  const { status } = catalogue[code];
  const family = FAMILIES.find(([codes]) => code in codes);
  return family?.[1] ?? BY_STATUS[status] ?? '';
}
