import { readFile } from 'node:fs/promises';

/** The credentials that sign requests to a bucket. Temporary ones have a session token. */
export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/** Issues temporary credentials: the token service, the agent of the container, or the machine. */
export type CredentialIssuer =
  | { readonly from: 'tokenService'; readonly endpoint: string; readonly roleArn: string; readonly tokenFile: string }
  | { readonly from: 'container'; readonly url: string; readonly tokenFile?: string | undefined }
  | { readonly from: 'instance'; readonly endpoint: string };

type Temporary = Credentials & { readonly expiresAt: number };

const ANSWER_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** They are renewed this long before they expire. */
const EARLY_MS = 5 * 60_000;
/** The pause after a failed renewal while the credentials are still valid. */
const RETRY_MS = 30_000;
const SESSION_SECONDS = 3600;

/**
 * Asks the issuer when credentials are needed and the present ones are about to expire. Many callers share one request.
 */
export function temporaryCredentials(issuer: CredentialIssuer, now: () => number): () => Promise<Credentials> {
  let current: Temporary | undefined;
  let renewing: Promise<Temporary> | undefined;
  let notBefore = 0;
  const renew = async (): Promise<Temporary> => {
    try {
      current = await askIssuer(issuer);
      return current;
    } catch (error) {
      notBefore = now() + RETRY_MS;
      throw new Error(`no credentials for the bucket: ${(error as Error).message}`, { cause: error });
    } finally {
      renewing = undefined;
    }
  };
  return async () => {
    const cached = current;
    if (cached && now() < cached.expiresAt - EARLY_MS) return cached;
    if (cached && now() < Math.min(cached.expiresAt, notBefore)) return cached;
    renewing ??= renew();
    if (!cached || now() >= cached.expiresAt) return renewing;
    // The issuer may be unavailable for a moment while the present credentials are still valid.
    return renewing.catch(() => cached);
  };
}

function askIssuer(issuer: CredentialIssuer): Promise<Temporary> {
  if (issuer.from === 'tokenService') return askTokenService(issuer);
  return issuer.from === 'container' ? askContainer(issuer) : askInstance(issuer.endpoint);
}

type TokenService = Extract<CredentialIssuer, { from: 'tokenService' }>;
type Container = Extract<CredentialIssuer, { from: 'container' }>;

async function askTokenService({ endpoint, roleArn, tokenFile }: TokenService): Promise<Temporary> {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'grove',
    DurationSeconds: `${SESSION_SECONDS}`,
    WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
  });
  const xml = await ask(endpoint, { method: 'POST', body: form });
  const field = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return toTemporary({
    AccessKeyId: field('AccessKeyId'),
    SecretAccessKey: field('SecretAccessKey'),
    Token: field('SessionToken'),
    Expiration: field('Expiration'),
  });
}

async function askContainer({ url, tokenFile }: Container): Promise<Temporary> {
  // The agent replaces the file from time to time.
  const headers = tokenFile ? { authorization: (await readFile(tokenFile, 'utf8')).trim() } : {};
  return toTemporary(JSON.parse(await ask(url, { headers })));
}

const METADATA_TOKEN_SECONDS = 60;

/** The second version of the metadata service, which requires a token that was requested first. */
async function askInstance(endpoint: string): Promise<Temporary> {
  const token = await ask(`${endpoint}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': `${METADATA_TOKEN_SECONDS}` },
  });
  const headers = { 'x-aws-ec2-metadata-token': token };
  const roles = `${endpoint}/latest/meta-data/iam/security-credentials/`;
  const [role = ''] = (await ask(roles, { headers })).split('\n');
  return toTemporary(JSON.parse(await ask(`${roles}${encodeURIComponent(role.trim())}`, { headers })));
}

type Answer = Readonly<Record<'AccessKeyId' | 'SecretAccessKey' | 'Token' | 'Expiration', unknown>>;

function toTemporary({ AccessKeyId, SecretAccessKey, Token, Expiration }: Answer): Temporary {
  const expiresAt = Date.parse(String(Expiration));
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string' || Number.isNaN(expiresAt)) {
    throw new Error('the response has no key, or no expiry');
  }
  const sessionToken = typeof Token === 'string' ? Token : undefined;
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken, expiresAt };
}

/** Returns the text of a successful response. An issuer's error message may contain a token, so it is not repeated. */
async function ask(url: string, options: RequestInit): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(url, { ...options, signal, redirect: 'error' });
  let text = '';
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > MAX_ANSWER_BYTES) throw new Error(`${new URL(url).host} answered too much`);
  }
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
  return text;
}
