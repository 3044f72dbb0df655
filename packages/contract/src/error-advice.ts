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
  1: 'A defect or a failure of the server. Repeat the call with the same `Idempotency-Key`; give `requestId` to the operator, whose log has the cause.',
  7: 'The key does not hold the permission of the operation, or the request comes from where it may not. Give the key the permission.',
  130: 'The id is wrong, or the key was deleted.',
  226: 'The token is of another tenant than the host names. Use the address of the tenant that issued it.',
  264: 'A permission begins with something else than `TNT#<tenant>#`, or names an unknown operation. Look at the catalogue of permissions.',
  271: 'The API key is wrong, blocked, archived or expired. Look at the key in the list of keys.',
  279: 'A token is good for an hour. Exchange the API key again; the SDK does so by itself.',
  280: 'The clocks of the servers differ. Set them by NTP.',
  100001:
    '`errors` names each place and what is wrong there. Correct the request; repeating it as it is does not help.',
  100002: 'The body is cut off, has a member twice, or is not UTF-8.',
  100003: 'The path is misspelt, or this release does not have it.',
  100004: 'The path is right, the method is not: `Allow` lists those that there are.',
  100005: 'Send less at once; the limit stands with the operation.',
  100006: 'Send `Content-Type: application/json`, or what the operation names.',
  100007: 'Wait as long as `Retry-After` says; the SDK does so by itself.',
  100008: 'Send `Authorization: Bearer <token>`, or `X-Api-Key` where a token is issued.',
  100010: 'The database does not answer, the server is starting or stopping. Repeat after `Retry-After`.',
  100011: 'Two equal requests at the same time. Wait, then repeat: the answer of the first is given.',
  100012: 'Use a new `Idempotency-Key` for each new request.',
  100013: 'The host names another region. Use the address that `grove start` printed.',
  100014: 'Choose another name, or use what is there.',
  100015: 'Make the key with a key that holds the permissions itself.',
  100017: 'Delete keys that nobody uses.',
  100018: 'The connection is too slow or was left open.',
  100019: 'Send fewer or shorter headers, cookies most of all.',
  100020: 'The operator must free disk space; nothing of the request was stored.',
  100022: 'The id is wrong, of the other environment (live or test), or the instance was deleted.',
  100024: 'Set the process token `ACTIVE`, or use another one.',
  100025: 'Add the origin to `redirectOrigins` of the settings.',
  100026: 'Read `userdata` first: it names the path of each image.',
  100035: 'Ceremonies last some minutes and complete once. Start a new one.',
  100039: 'Wait as long as `Retry-After` says.',
  100044: 'Make a new process token, or move `notAfterDtm`.',
  100045: 'Wait until `notBeforeDtm`.',
  100046: 'The token was made for a number of uses. Make a new one.',
  100047: 'Deploy the version, or name another one.',
  100048: '`errors` names each fault with its place in the document.',
  100049: 'A deployed version never changes. Make a new version.',
  100054:
    'Third-party or blocked cookies, or another browser than the one that opened the link. Send the end user a new link.',
  100055: 'Start links work once. Make a new one: `POST …/processInstances/{id}/resumeLink`.',
  100056: 'Another tab or request was faster. Read the journey again and show what it waits for.',
  100057: 'Nothing more can be sent. Read the result.',
  100059: 'Ask for another picture: `reason` says what is wrong with it.',
  100065: 'Delete what nobody needs, or ask the operator.',
  100071: 'Only public https addresses are allowed, unless the operator lists others in `GROVE_OUTBOUND_ALLOW`.',
  100080: 'The operator must set the clocks right.',
  100082: 'Set the store `ACTIVE`.',
  100098: 'Choose colours whose contrast is at least the one that `errors` names.',
  100135:
    'The server was started without built pages. `grove start` builds them in a repository; the package of a release has them.',
  100160: 'The operator has not set `SMTP_URL`, or no provider of push notifications.',
  100161: 'Wait as long as `Retry-After` says.',
  100191:
    'The budget is one of an hour. Raise it in the settings if the reads are wanted; else somebody has the key who should not.',
  100230: 'The id is wrong, or the request was removed after its time.',
  100233: 'Use a test key.',
  100235:
    'Look at `issuer`, at the client secret and whether the host may be called (`GROVE_OUTBOUND_ALLOW`); the log of the server has the cause.',
  100236: 'Begin to sign in again. If it stays so, the log of the server has what the provider said.',
  100237: 'Add the group of the account to `roles` of single sign-on, or the account to a group.',
  100238:
    'The operator is suspended, has a passkey, or the provider has not verified the e-mail address. Resetting the operator lets the next sign-in link the account.',
  100320:
    'The operator of the installation has suspended the tenant, or is deleting it. Ask them; repeating does not help.',
  100351: 'Read it again, compare, and send your change with the new `lastUpdatedDtm`.',
  100352:
    'Whoever runs the server grants it to a person: `grove operator installation ID --tenant TENANT`. A reset of the operator ends it.',
  100354: 'It is being deleted, or it is the tenant of the operator who asks.',
  100240: 'Add the origin to `embedOrigins` of the settings.',
};

const FAMILIES: readonly (readonly [codes: object, advice: string])[] = [
  [
    passkeyCodes,
    'The passkey was refused. Let the user try again with a new ceremony; if it stays so, the message names the setting of the relying party or the passkey to look at.',
  ],
  [
    { ...appkeyCodes, ...appkeyRegistrationCodes },
    'The appkey was refused. Start a new ceremony; if it stays so, compare the policy and the session data with what the message names.',
  ],
  [
    { ...faceCodes, ...faceRegistrationCodes },
    'The face was refused or could not be compared. Ask for another picture; the message names what is missing.',
  ],
  [totpCodes, 'Ask for the present code of the app.'],
];

/** What holds for every code of a status that has nothing of its own. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Correct what the message names, then call again.',
  401: 'The token is damaged, forged or of another installation. Exchange the API key again.',
  403: 'Whoever calls may not do this. Repeating does not help.',
  404: 'The id or name is wrong, of another tenant or environment, or the object was deleted.',
  409: 'Read the object again: its state does not allow this now.',
  410: 'It can be used once and for a limited time. Make a new one.',
  421: 'Use the address that the message names.',
  429: 'Wait as long as `Retry-After` says.',
  500: 'Give `requestId` to the operator.',
  503: 'Repeat after `Retry-After`.',
};

export function adviceOf(code: ErrorCode): string {
  const own = OWN[code];
  if (own !== undefined) return own;
  const { status } = catalogue[code];
  const family = FAMILIES.find(([codes]) => code in codes);
  return family?.[1] ?? BY_STATUS[status] ?? '';
}
