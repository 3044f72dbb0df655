import type { Readable } from 'node:stream';
import type { TenantReads } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { Vault } from '../../secrets/vault.ts';
import { notesOf } from '../case-work/notes.ts';
import type { Definition } from '../engine/definition.ts';
import type { Flow, JourneyData } from '../engine/state.ts';
import { type ImageRow as InstanceImage, imagesOf } from '../images/images.repository.ts';
import { streamImage } from '../images/read-image.ts';
import { type CheckRow, checksOf } from '../instances/checks.repository.ts';
import { pageEvents } from '../instances/instance-events.repository.ts';
import { type EventView, toEventView, toListItem, toWithParameters } from '../instances/instance-view.ts';
import {
  findInstance,
  findInstanceView,
  type InstanceRow,
  type InstanceView,
} from '../instances/process-instances.repository.ts';
import { sessionsOf } from '../instances/sessions.repository.ts';
import { dateOfBirthOf } from './date-of-birth.ts';
import type { Drive } from './drive.ts';

export type { InstanceImage };

/** The data of an instance, for user data and for the machines that work on it. */
export type InstanceData = {
  readonly instance: InstanceView;
  readonly definition: Definition;
  readonly flow: Flow;
  readonly data: JourneyData;
  readonly checks: readonly CheckRow[];
  readonly images: readonly InstanceImage[];
};

export type ReadInstanceData = {
  /** Undefined unless the instance is of that definition and that environment. */
  find(db: TenantReads, key: WantedInstance): Promise<InstanceData | undefined>;
  /** Finds the data of an instance of any definition. */
  findAny(db: TenantReads, key: Omit<WantedInstance, 'definitionId'>): Promise<InstanceData | undefined>;
  /** The tenant's data about the end user: names, parameters, and the review. */
  applicant(db: TenantReads, instanceId: string): Promise<object | undefined>;
  /** The browsers in which the journey was used. */
  sessions(db: TenantReads, instanceId: string): Promise<readonly object[]>;
  /** The notes of reviewers about the instance. */
  notes(db: TenantReads, instanceId: string): Promise<readonly object[]>;
  /** Streams `row.bytes` bytes while decrypting. */
  imageStream(db: TenantReads, row: InstanceImage): Promise<Readable>;
  /** The events of the instance, the oldest first, up to a limit. */
  events(db: TenantReads, instanceId: string): Promise<EventView[]>;
};

const MAX_EVENTS = 10_000;

export type WantedInstance = { definitionId: string; instanceId: string; environment: 'live' | 'test' };

type ReadDeps = { drive: Drive; vault: Vault; blobs: Blobs; region: string };

export function readInstanceData(deps: ReadDeps): ReadInstanceData {
  const findAny: ReadInstanceData['findAny'] = async (db, { instanceId, environment }) => {
    const row = await findInstanceView(db, instanceId);
    if (row?.environment !== environment) return undefined;
    const stands = await deps.drive.lookAt(db, instanceId);
    if (!stands) return undefined;
    return {
      instance: row,
      definition: stands.definition.definition,
      flow: stands.state.flow,
      data: stands.state.data,
      checks: await checksOf(db, { instanceId }),
      images: await imagesOf(db, instanceId),
    };
  };
  return {
    findAny,
    async find(db, { definitionId, ...key }) {
      const instanceData = await findAny(db, key);
      return instanceData?.instance.definition_id === definitionId ? instanceData : undefined;
    },
    async applicant(db, instanceId) {
      const row = await findInstance(db, instanceId);
      if (!row) return undefined;
      const readDateOfBirth = await dateOfBirthOf(deps.drive, db, instanceId);
      return applicantOf(row, { tenantId: db.tenantId, processServerId: deps.region, readDateOfBirth });
    },
    sessions: sessionsOf,
    notes: notesOf,
    async events(db, instanceId) {
      const page = { number: 0, size: MAX_EVENTS, offset: 0, sorts: 0, orderBy: 'sequence ASC' };
      return (await pageEvents(db, instanceId, page)).map(toEventView);
    },
    imageStream: (db, row) => streamImage(deps, db, row),
  };
}

type Applicant = { tenantId: string; processServerId: string; readDateOfBirth: string | undefined };

function applicantOf(row: InstanceRow, about: Applicant): object {
  const { review, extendedSearchTerms } = toListItem(row, about.tenantId, row.completed_at ?? row.created_at);
  return {
    ...toWithParameters(row, { ...about, definitionType: undefined }),
    ...(review && { review }),
    ...(extendedSearchTerms && { extendedSearchTerms }),
  };
}
