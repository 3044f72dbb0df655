import type { Blobs } from '../engines/blobs/blobs.ts';
import type { Images } from '../engines/images/images.ts';
import type { VisionMachine } from '../engines/vision/vision.ts';
import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { ProcessesForJourneys } from '../process-manager/for-journeys.ts';
import type { ThemesForJourneys } from '../theme-server/theme-server.ts';
import type { Live } from './live.ts';
import type { Messages } from './messages/messages.ts';

export type { ImageRow, InstanceRow } from '../process-manager/for-journeys.ts';

/** The dependencies of journeys: the port of each feature that they use. */
export type JourneyDeps = Pick<Platform, 'db' | 'clock' | 'vault' | 'testVolume' | 'onError'> & {
  blobs: Pick<Blobs, 'put' | 'get' | 'delete'>;
  images: Pick<Images, 'reencode' | 'firstPage' | 'warm'>;
  vision: Pick<VisionMachine, 'warm' | 'lookAhead' | 'observeFrame'>;
  live: Live;
  processes: ProcessesForJourneys;
  themes: ThemesForJourneys;
  messages: Pick<Messages, 'channels' | 'queueFor' | 'known'>;
  tenants: {
    nameOf(tenantId: TenantId): Promise<string>;
    /** Refuses with 100320 if the tenant is suspended. */
    ensureActive(tenantId: TenantId): Promise<void>;
  };
  baseUrlOf(tenantId: TenantId): string;
  /** Whether cookies are sent over https only. */
  secure: boolean;
  cookieName(instanceId: string): string;
  /** The header with the country of an address, which a trusted proxy sets. */
  countryHeader: string | undefined;
};

export type AttemptOfStep = { readonly instanceId: string; readonly step: string; readonly attempt: number };
