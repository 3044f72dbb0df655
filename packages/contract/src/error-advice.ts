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
  100039: 'Wait for the time in `Retry-After`.',
  100044: 'Create a new process token, or change `notAfterDtm`.',
  100045: 'Wait until `notBeforeDtm`.',
  100046: 'The token had a limited number of uses. Create a new one.',
  100047: 'Deploy the version, or name another one.',
  100048: '`errors` names each fault with its place in the document.',
  100049: 'A deployed version never changes. Create a new version.',
  100054: 'The browser blocks cookies, or it is not the browser that opened the link. Send the end user a new link.',
  100055: 'Start links work once. Create a new one: `POST …/processInstances/{id}/resumeLink`.',
  100056: 'Another tab or request was faster. Read the journey again and show its current step.',
  100057: 'The journey accepts nothing more. Read the result.',
  100059: 'Ask for another picture: `reason` says what is wrong with it.',
  100065: 'Delete what is not needed, or ask the operator.',
  100071: 'Only public https addresses are allowed, unless the operator lists others in `GROVE_OUTBOUND_ALLOW`.',
  100080: 'The operator must correct the clocks.',
  100082: 'Set the store `ACTIVE`.',
  100098: 'Choose colours with at least the contrast that `errors` names.',
  100135:
    'The server was started without built pages. In a repository, `grove start` builds them; the package of a release contains them.',
  100160: 'The operator has not set `SMTP_URL`, or no provider of push notifications.',
  100161: 'Wait for the time in `Retry-After`.',
  100191:
    'The budget is for one hour. If the reads are intended, raise the budget in the settings; otherwise the key may be stolen.',
  100230: 'The id is wrong, or the request has expired and was removed.',
  100233: 'Use a test key.',
  100235:
    'Check `issuer`, the client secret, and whether the host may be called (`GROVE_OUTBOUND_ALLOW`). The server’s log has the cause.',
  100236: 'Sign in again. If it fails again, the server’s log has the response of the provider.',
  100237: 'Add a group of the account to `roles` of single sign-on, or add the account to such a group.',
  100238:
    'The operator is suspended or has a passkey, or the provider has not verified the e-mail address. If you reset the operator, the next sign-in links the account.',
  100320:
    'The operator of the installation has suspended the tenant, or is deleting it. Ask the operator; a repeated call does not help.',
  100351: 'Read the object again, compare it, and send your change with the new `lastUpdatedDtm`.',
  100352:
    'The person who runs the server grants this: `grove operator installation ID --tenant TENANT`. A reset of the operator ends it.',
  100354: 'The tenant is being deleted, or it is the tenant of the calling operator.',
  100364:
    'The verdict and the checks are still there: read the instance, its events, its checks or its signed result. The data does not come back.',
  100240: 'Add the origin to `embedOrigins` of the settings.',
};

const FAMILIES: readonly (readonly [codes: object, advice: string])[] = [
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
