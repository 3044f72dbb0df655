import type { Db, TenantDb, TenantReads, TenantTx } from '../db/db.ts';
import type { Blobs } from '../engines/blobs/blobs.ts';
import type { Images } from '../engines/images/images.ts';
import type { VisionMachine } from '../engines/vision/vision.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Environment } from '../kernel/environment.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Challenges } from '../process-manager/faces/challenges.ts';
import type { Drive, Look } from '../process-manager/runtime/drive.ts';
import type { Vault } from '../secrets/vault.ts';
import type { LinkTarget } from './explain-link.ts';
import type { Live } from './live.ts';
import type { Messages } from './messages/messages.ts';
import type { Journey } from './show-journey.ts';

/** What the journeys are handed: the instances, tokens, images and tenants are other folders' business. */
export type JourneyDeps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  blobs: Pick<Blobs, 'put' | 'get' | 'delete'>;
  images: Pick<Images, 'reencode' | 'firstPage' | 'warm'>;
  vision: Pick<VisionMachine, 'warm' | 'lookAhead' | 'observeFrame'>;
  drive: Drive;
  /** Whether cookies travel over https alone. */
  secure: boolean;
  cookieName(instanceId: string): string;
  baseUrlOf(tenantId: TenantId): string;
  tenantName(tenantId: TenantId): Promise<string>;
  /** Refuses with 100320 if the tenant is suspended. */
  ensureActive(tenantId: TenantId): Promise<void>;
  /** The instance, which nobody else can change until the transaction ends. */
  lockInstance(tx: TenantTx, instanceId: string): Promise<InstanceRow | undefined>;
  /** What the sandbox finds from now on. The instance is locked. */
  setScenario(tx: TenantTx, instance: InstanceRow, scenario: string): Promise<void>;
  /** Spends the code of a redirect address: of any number of callers, one gets the id of its instance. */
  spendStartCode(tx: TenantTx, code: string, now: number): Promise<string | undefined>;
  createFromToken(
    tx: TenantTx,
    from: { tokenId: string; environment: undefined; now: number; baseUrl: string },
  ): Promise<{ row: InstanceRow }>;
  /** The token that a link names, whatever has become of it. */
  linkTarget(db: TenantReads, tokenId: string): Promise<LinkTarget | undefined>;
  /** The website of the tenant, if one is known. */
  homeOf(db: TenantReads): Promise<string | undefined>;
  /** The page that a process token names for its journeys. */
  uiUrlOfToken(db: TenantReads, tokenId: string): Promise<string | null | undefined>;
  /** One browser has opened both instances. */
  linkDevice(tx: TenantTx, instanceId: string, otherId: string, now: number): Promise<void>;
  /** The step that the journey waits at is shown to the end user. */
  seeStep(db: TenantDb, look: Look, now: number): Promise<void>;
  /** The browser says that the page of the step was left. The instance is locked. */
  leaveStep(tx: TenantTx, look: Look, now: number): Promise<void>;
  /** The instance is locked. */
  addEvent(tx: TenantTx, instance: InstanceRow, type: string, now: number): Promise<unknown>;
  /** Why an instance was terminated: `abandoned`, or by time. */
  endReason(db: TenantReads, instanceId: string): Promise<string | undefined>;
  /** Whether the list of the tenant has the origin of this address, now. */
  redirectAllowed(db: TenantReads, environment: Environment, url: string): Promise<boolean>;
  /** Whether a page of that origin may frame journeys of the environment, now. */
  mayFrame(db: TenantReads, environment: Environment, origin: string): Promise<boolean>;
  imagesOf(db: TenantReads, instanceId: string): Promise<ImageRow[]>;
  /** Gives the key of the blob that it replaces. */
  saveImage(tx: TenantTx, row: ImageRow): Promise<string | undefined>;
  /** What the page of the current step needs to go on; nothing if it is refused. Refuses with 100142. */
  beginStep(
    tx: TenantTx,
    look: Look,
    how: { now: number; anew: boolean },
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
  challenges: Challenges;
  /** Has blobs deleted, once the transaction is committed and however often that has to be tried. */
  deleteBlobs(tx: TenantTx, keys: readonly string[]): Promise<unknown>;
  /** Where the custom page of that name is shown; nothing if none is deployed any more. */
  pageUrl(db: TenantReads, environment: Environment, name: string): Promise<string | undefined>;
  /** How the journeys of a theme look and speak. */
  lookOf(db: TenantReads, environment: Environment, theme: string): Promise<Pick<Journey, 'theme' | 'texts'>>;
  messages: Messages;
  /** The header in which a trusted proxy says the country of an address. */
  countryHeader: string | undefined;
  onError(what: string, error: unknown): void;
};

export type InstanceRow = Look['root'];

export type AttemptOfStep = { readonly instanceId: string; readonly step: string; readonly attempt: number };
/** An image of an attempt; its bytes are sealed in the blob store. */
export type ImageRow = {
  instance_id: string;
  step: string;
  attempt: number;
  name: string;
  blob_key: string;
  content_type: string;
  bytes: number;
  sha256: string;
  created_at: number;
};

/** What the parts of this folder are handed beside that. */
export type LiveDeps = JourneyDeps & { live: Live };
