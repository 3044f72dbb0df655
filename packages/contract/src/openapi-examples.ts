import type { Api, GroupName } from './api.ts';
import recorded from './examples.json' with { type: 'json' };
import type { Body, Ok } from './operation.ts';

/**
 * Examples of the bodies that an integrator needs first. The compiler and a test check them against their schemas. All
 * other examples are calls of the tests, which `npm run examples` stores in `examples.json`.
 */

type Example<O> = { readonly body?: Body<O>; readonly ok?: Ok<O> };
type Examples = { readonly [G in GroupName]?: { readonly [N in keyof Api[G]]?: Example<Api[G][N]> } };

type AnyExample = { readonly body?: unknown; readonly ok?: unknown };

/** Examples of streams, which are text. Files have no examples. */
export const streamExamples: Readonly<Record<string, string>> = {
  'journey.watch': 'event: journey\ndata: {"revision":4,"status":"IN_PROGRESS"}\n\n',
  'eventStream.watch': `event: instance.created\nid: 01JZ4MCW8A0C2E4G6J8M0P2R4T\ndata: {"id":"01JZ4MCW8A0C2E4G6J8M0P2R4T","type":"instance.created","timestamp":"2026-07-01T09:40:00.000Z","data":{"processInstanceId":"01JZ4MCW8A0C2E4G6J8M0P2R4T"}}\n\n`,
};

export function exampleOf(group: GroupName, name: string): AnyExample {
  const handwritten = (examples[group] as Record<string, AnyExample> | undefined)?.[name];
  return { ...(recorded as Record<string, AnyExample>)[`${group}.${name}`], ...handwritten };
}

const audit = { createdBy: 'API Key: back-office', lastUpdatedBy: 'API Key: back-office' };

const apiKey: Ok<Api['apiKeys']['get']> = {
  id: '01JZ4M8Q2V7R9T3W5X6Y8Z0ABC',
  environment: 'live',
  type: 'PERMANENT',
  code: 'grv_live_01JZ4M8Q2V7R9T3W5X6Y8Z0ABC_an-example-and-not-a-secret-0000000000000000',
  name: 'onboarding back end',
  description: 'Starts journeys and reads their outcome',
  status: 'ACTIVE',
  permissions: [
    'TNT#acme#ProcessManager:addProcessToken',
    'TNT#acme#ProcessManager:createProcessInstance',
    'TNT#acme#ProcessManager:getProcessInstance',
    'TNT#acme#UserDataServer*',
  ],
  permittedOperations: [
    'ProcessManager:addProcessToken',
    'ProcessManager:createProcessInstance',
    'ProcessManager:getProcessInstance',
    'UserDataServer:getProcessInstanceUserData',
  ],
  createdDtm: '2026-07-01T09:30:00.000Z',
  lastUpdatedDtm: '2026-07-01T09:30:00.000Z',
  ...audit,
};

const processToken = {
  id: '01JZ4MB1D3F5H7K9M0P2R4T6V8',
  tenantId: 'acme',
  name: 'onboarding-web',
  description: 'Sign-up on the web site',
  processDefnName: 'onboarding',
  processDefnVersion: 3,
  status: 'ACTIVE',
  type: 'UNLIMITED',
  environment: 'live',
  counter: 0,
  parameters: { _redirectUrl: 'https://www.example.com/welcome?instance={PROCESS_INSTANCE_ID}' },
  startProcessAddress: 'https://acme.fir.example.com/processInstances?tn=acme&pt=01JZ4MB1D3F5H7K9M0P2R4T6V8',
  createdDtm: '2026-07-01T09:35:00.000Z',
  lastUpdatedDtm: '2026-07-01T09:35:00.000Z',
  ...audit,
} as const;

const applicant = {
  firstName: 'Ada',
  lastName: 'Byrne',
  email: 'ada.byrne@example.com',
  phoneNumber: '+353851234567',
} as const;

const processInstance = {
  id: '01JZ4MCW8A0C2E4G6J8M0P2R4T',
  tenantId: 'acme',
  processDefnId: '01JZ4K0N7B9D1F3H5K7M9P1R3T',
  processDefnName: 'onboarding',
  processDefnVersion: 3,
  ...applicant,
  status: 'COMPLETED_ENDED_SUCCESS',
  environment: 'live',
  retentionDays: 30,
  expiringDtm: '2026-07-31T09:40:00.000Z',
} as const;

const plainInstance = {
  ...processInstance,
  createdAt: '2026-07-01T09:40:00.000Z',
  elapsedMilliseconds: 94210,
  statusMapped: 'Accepted',
} as const;

const unlocked = { failedCount: 0, lockCount: 0 };

const person = {
  extId: 'customer-48213',
  attributes: { segment: 'retail' },
  locale: 'en-IE',
  timeZone: 'Europe/Dublin',
};

const newUser: Ok<Api['users']['create']> = {
  id: '01JZ4MF3X5Z7B9D1F3H5K7M9P1',
  environment: 'live',
  ...person,
  status: 'ACTIVE',
  createdDtm: '2026-07-01T09:45:00.000Z',
  lastUpdatedDtm: '2026-07-01T09:45:00.000Z',
  lockInfo: { ...unlocked, modalities: {} },
  summaryInfo: { devices: [], appkeys: [], passkeys: [], totps: [], biometrics: [] },
};

const user: Ok<Api['users']['get']> = {
  ...newUser,
  lastUpdatedDtm: '2026-07-02T18:12:30.000Z',
  lastSuccessfulAuthenticationDtm: '2026-07-02T18:12:30.000Z',
  lockInfo: { ...unlocked, modalities: { PASSKEY: { ...unlocked, locked: false } } },
  summaryInfo: {
    devices: [],
    appkeys: [],
    passkeys: [
      {
        id: '01JZ4MGK2N4Q6S8V0X2Z4B6D8F',
        rpId: 'example.com',
        credentialId: 'q3Zk0mJ2T0m8u1y7n4cVQw',
        status: 'ACTIVE',
        createdDtm: '2026-07-01T09:46:10.000Z',
        lastUsedDtm: '2026-07-02T18:12:30.000Z',
      },
    ],
    totps: [],
    biometrics: [],
  },
};

const passkeyConfig: Ok<Api['passkeys']['createConfig']> = {
  rpId: 'example.com',
  rpName: 'Example',
  restrictedOrigins: ['https://login.example.com'],
  registrationPolicies: {
    default: { authenticatorSelection: { residentKey: 'required', userVerification: 'required' } },
  },
  authenticationPolicies: { default: { userVerification: 'required' } },
};

const ceremony = { sessionId: '01JZ4MKQ8R0T2W4Y6A8C0E2G4J', expiringDtm: '2026-07-02T18:17:00.000Z' };
const passkeyChallenge = 'pZ5k2u8m0Tq1w3y7n4cVQwL6sJ9dF2hB5xR8tG1vKcM';

/** A page with one item, as the response to a request without a query. */
function pageOf<T>(item: T) {
  const sort = { sorted: false, unsorted: true, empty: true };
  return {
    content: [item],
    totalElements: 1,
    totalPages: 1,
    number: 0,
    size: 10,
    numberOfElements: 1,
    first: true,
    last: true,
    empty: false,
    sort,
    pageable: { sort, pageSize: 10, pageNumber: 0, paged: true, unpaged: false, offset: 0 },
  };
}

const masked: Ok<Api['apiKeys']['get']> = {
  ...apiKey,
  code: 'grv_live_01JZ4M8Q2V7R9T3W5X6Y8Z0ABC_…',
  lastIssuedAtDtm: '2026-07-02T08:00:00.000Z',
};

export const examples: Examples = {
  apiKeys: {
    issue: { body: {}, ok: { token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.e30.…', ttl: 3600 } },
    list: { ok: pageOf(masked) },
    create: {
      body: {
        name: apiKey.name,
        description: 'Starts journeys and reads their outcome',
        permissions: apiKey.permissions,
      },
      ok: apiKey,
    },
    get: { ok: masked },
    update: { body: { status: 'BLOCKED' }, ok: { ...masked, status: 'BLOCKED' } },
  },
  processTokens: {
    create: {
      body: {
        name: processToken.name,
        description: processToken.description,
        processDefnName: processToken.processDefnName,
        processDefnVersion: processToken.processDefnVersion,
        parameters: processToken.parameters,
      },
      ok: processToken,
    },
    list: { ok: pageOf({ ...processToken, counter: 128 }) },
  },
  processInstances: {
    create: {
      body: { parameters: applicant, externalReference: 'C-1042' },
      ok: {
        redirectUrl: `https://acme.fir.example.com/web/?pi=${processInstance.id}#c=…`,
        processInstanceId: processInstance.id,
        themeUrl: 'https://acme.fir.example.com/api/theme-server/themes/default',
      },
    },
    start: { body: { parameters: applicant } },
    get: { ok: plainInstance },
    getWithParameters: {
      ok: {
        ...processInstance,
        createdDtm: plainInstance.createdAt,
        lastUpdatedDtm: '2026-07-01T09:41:34.210Z',
        processTokenId: processToken.id,
        processTokenCounter: 128,
        processDefinitionType: 'VERIFICATION',
        processServerId: 'fir',
        processTokenParameters: { ...processToken.parameters, ...applicant },
      },
    },
    list: { ok: pageOf({ ...plainInstance, scheduledExpiry: true }) },
    search: { ok: pageOf({ ...plainInstance, scheduledExpiry: true }) },
  },
  userData: {
    getItem: { ok: { contentType: 'image/jpeg', data: '/9j/4AAQSkZJRgABAQAAAQABAAD…' } },
  },
  users: {
    create: { body: person, ok: newUser },
    list: { ok: pageOf(user) },
    get: { ok: user },
    update: { body: { status: 'DISABLED' }, ok: { ...user, status: 'DISABLED' } },
  },
  passkeys: {
    createConfig: { body: passkeyConfig, ok: passkeyConfig },
    updateConfig: { body: { rpName: 'Example Bank' }, ok: { ...passkeyConfig, rpName: 'Example Bank' } },
    startRegistration: {
      body: { userName: 'ada@example.com', displayName: 'Ada' },
      ok: {
        ...ceremony,
        publicKey: {
          rp: { id: 'example.com', name: 'Example' },
          user: { id: 'MDFKWjRNRjNYNVo3QjlEMUYzSDVLN005UDE', name: 'ada@example.com', displayName: 'Ada' },
          challenge: passkeyChallenge,
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          timeout: 300_000,
          excludeCredentials: [],
          authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
          attestation: 'none',
        },
      },
    },
    startAuthentication: {
      body: {},
      ok: {
        ...ceremony,
        publicKey: {
          challenge: passkeyChallenge,
          timeout: 300_000,
          rpId: 'example.com',
          userVerification: 'required',
          allowCredentials: [{ id: 'q3Zk0mJ2T0m8u1y7n4cVQw', type: 'public-key', transports: ['internal', 'hybrid'] }],
        },
      },
    },
    authenticate: {
      body: {
        credential: {
          id: 'q3Zk0mJ2T0m8u1y7n4cVQw',
          rawId: 'q3Zk0mJ2T0m8u1y7n4cVQw',
          type: 'public-key',
          response: { clientDataJSON: 'eyJ0eXBlIjoi…', authenticatorData: 'SZYN5YgO…', signature: 'MEUCIQDx…' },
        },
      },
      ok: { authenticationId: '01JZ4MM5N7Q9S1V3X5Z7B9D1F3', user },
    },
    update: { body: { status: 'DISABLED' } },
  },
};
