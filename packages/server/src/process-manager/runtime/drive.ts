import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { Platform } from '../../kernel/feature.ts';
import { newId, type TenantId } from '../../kernel/ids.ts';
import type { InstanceEvent } from '../../kernel/instance-event.ts';
import { saveLinks } from '../case-work/save-links.ts';
import { compiledDefinition, compiledOf } from '../definitions/compiled-definition.ts';
import { findDeployed } from '../definitions/definitions.repository.ts';
import type { CompiledDefinition } from '../engine/compile-definition.ts';
import { nextStep } from '../engine/next-step.ts';
import {
  type Current,
  type Effect,
  isFinal,
  type JourneyData,
  NO_DATA,
  type Reason,
  type State,
  type Trigger,
} from '../engine/state.ts';
import type { SubprocessStep } from '../engine/steps/control.ts';
import { carryImages } from '../images/images.repository.ts';
import { removeChecks, saveChecks } from '../instances/checks.repository.ts';
import { createInstance } from '../instances/create-instance.ts';
import { addEvents, type NewEvent } from '../instances/instance-events.repository.ts';
import { findInstanceJourney, type InstanceJourney } from '../instances/instance-journey.repository.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { findJourney, type StoredJourney, saveJourney, touchJourney } from '../instances/journeys.repository.ts';
import { lockAndRead, lockChain, MAX_DEPTH } from '../instances/lock-chain.ts';
import { type ExpectNotified, instanceEvent, type NotifyEvents, recordEvent } from '../instances/notify-events.ts';
import {
  changeInstance,
  countDescendants,
  findInstance,
  type InstanceRow,
} from '../instances/process-instances.repository.ts';
import { afterChange, eventsOf } from './after-change.ts';
import type { IdentityPort } from './identity-port.ts';
import { type ChildPayload, LOOK_STEP, START_CHILD, WORK_STEP } from './job-kinds.ts';
import { needsLook, type SettledStep, settleStep, settles } from './settle-step.ts';

/** The transaction around the engine: reads a journey, computes its next state, and stores it with its effects. */
export type Drive = {
  /**
   * Locks the instance, applies the event, and stores state, events, checks, jobs and children. The end of a child is applied
   * to its parent in the same transaction.
   */
  apply(tx: TenantTx, instanceId: string, trigger: Trigger, now: number): Promise<ApplyResult>;
  /**
   * Applies an event of an end user, whose answer shows the next step. The caller has locked the root, has read the journey
   * since and has not changed it.
   */
  applyTo(tx: TenantTx, snapshot: Snapshot, trigger: Trigger, now: number): Promise<ApplyResult>;
  /** Ends a journey early: the root, its running descendant, and those between the two. */
  endEarly(
    tx: TenantTx,
    journey: Pick<Snapshot, 'root' | 'instance'>,
    why: 'abandon' | 'cancel',
    now: number,
  ): Promise<ApplyResult>;
  /** Starts a child in a separate transaction, if its parent still waits for it. */
  startChild(tx: TenantTx, child: ChildPayload, now: number): Promise<void>;
  /**
   * Reads the journey of an end user: `instance` is the requested one or its running descendant. Undefined if there is no such
   * instance.
   */
  look(db: TenantReads, instanceId: string): Promise<Snapshot | undefined>;
  /** Reads the journey of the instance itself, even if a descendant is running. */
  lookAt(db: TenantReads, instanceId: string): Promise<Snapshot | undefined>;
};

export type Snapshot = {
  /** The requested instance. */
  readonly root: InstanceRow;
  /** The instance whose step is shown. */
  readonly instance: InstanceRow;
  readonly definition: CompiledDefinition;
  readonly state: State;
  /** The revision of the root, which grows with every change of a descendant, too. 0 before it was opened. */
  readonly revision: number;
} & Omit<InstanceJourney, 'row'>;

/** The part of a snapshot that a page shows. */
export type ShownJourney = Omit<Snapshot, 'journey' | 'dataKey' | 'views'>;

export type ApplyResult =
  | { readonly refusal: Reason; readonly faults?: readonly { pointer: string; message: string }[] }
  | { readonly refusal?: undefined; readonly instance: InstanceRow; readonly after?: NewState | undefined };

/** The new state. Undefined if later steps, children or images have changed it again. */
type NewState = Pick<Snapshot, 'state' | 'revision'>;

/** The next view of the page, if it need not be read again. */
export function shownAfter(snapshot: Snapshot, applied: ApplyResult): ShownJourney | undefined {
  if (applied.refusal !== undefined || !applied.after || snapshot.instance.id !== snapshot.root.id) return undefined;
  const { instance, after } = applied;
  return { ...snapshot, root: instance, instance, ...after };
}

export type DriveDeps = Pick<Platform, 'vault' | 'jobs' | 'warn'> & {
  notifyEvents: NotifyEvents;
  expectNotified: ExpectNotified;
  rememberViews(tx: TenantTx, instanceId: string, views: Snapshot['views']): void;
  /** The events of a step that the end user sees. */
  eventsOfView(tx: TenantTx, row: InstanceRow, current: Current): Promise<NewEvent[]>;
  /** The identity stores, whose steps are settled in the transaction of the submission. */
  identity: IdentityPort;
  /** Sends the webhook that a step names. Resolves to false if there is none of that name. */
  sendWebhook(tx: TenantTx, name: string, event: InstanceEvent): Promise<boolean>;
  /** Called after the commit of a change to a journey or a descendant. */
  changed(tenantId: TenantId, rootId: string): void;
};

/** The limit of descendants of a root, on all levels together. */
export const MAX_DESCENDANTS = 50;
/** Further children are started in other transactions, because other writers wait for this one. */
export const CHILDREN_PER_TRANSACTION = 5;

export function openDrive(deps: DriveDeps): Drive {
  const noteChange = async (run: Run, result: Promise<ApplyResult>): Promise<ApplyResult> => {
    const applied = await result;
    if (!applied.refusal) run.tx.afterCommit(() => deps.changed(run.tx.tenantId, run.rootId));
    return applied;
  };
  const applyLocked = async (tx: TenantTx, instanceId: string, trigger: Trigger, how: How) => {
    const locking = lockAndRead(tx, instanceId);
    deps.expectNotified(tx);
    const { chain, journey } = await locking;
    deps.rememberViews(tx, instanceId, journey.views);
    const run = runIn(deps, tx, chain, how);
    return noteChange(run, readAndApply(run, journey, trigger));
  };
  return {
    apply: (tx, instanceId, trigger, now) => applyLocked(tx, instanceId, trigger, { now, isShown: false }),
    applyTo(tx, snapshot, trigger, now) {
      const { root, instance } = snapshot;
      const how = { now, isShown: true };
      // For a descendant, the instances between are locked in their order.
      if (instance.id !== root.id || root.parent_id !== null) return applyLocked(tx, instance.id, trigger, how);
      deps.rememberViews(tx, root.id, snapshot.views);
      const run = runIn(deps, tx, [root], how);
      return noteChange(run, applyTo(run, { row: instance, ...snapshot }, trigger));
    },
    async endEarly(tx, { root, instance }, why, now) {
      const how = { now, isShown: false };
      const applied = await applyLocked(tx, root.id, { type: why }, how);
      if (!applied.refusal && instance.id !== root.id) await applyLocked(tx, instance.id, { type: why }, how);
      return applied;
    },
    async startChild(tx, { instanceId, step, childId }, now) {
      const chain = await lockChain(tx, instanceId);
      const parent = chain.at(-1) as InstanceRow;
      const run = runIn(deps, tx, chain, { now, isShown: false });
      const { definition, state } = await readParts(deps, tx, parent, await findJourney(tx, { instanceId }));
      if (state.flow.current?.childId !== childId || (await findInstance(tx, childId))) return;
      await startChild(run, parent, definition.step(step) as SubprocessStep, childId);
      tx.afterCommit(() => deps.changed(tx.tenantId, run.rootId));
    },
    async look(db, instanceId) {
      const root = await lookAt(deps, db, instanceId);
      let at = root;
      for (let depth = 1; at && depth < MAX_DEPTH; depth++) {
        const childId = at.state.flow.current?.childId;
        const child: Snapshot | undefined = childId === undefined ? undefined : await lookAt(deps, db, childId);
        if (!child) break;
        at = child;
      }
      return root && at && { ...at, root: root.root, revision: root.revision };
    },
    lookAt: (db, instanceId) => lookAt(deps, db, instanceId),
  };
}

/** `isShown`: the end user sees the next step at once, in the answer. */
type How = { now: number; isShown: boolean };

/** `children` is the number of children that the transaction has created. */
type Run = How & {
  deps: DriveDeps;
  tx: TenantTx;
  rootId: string;
  depth: number;
  readonly children: { count: number };
};

function runIn(deps: DriveDeps, tx: TenantTx, chain: readonly Pick<InstanceRow, 'id'>[], how: How): Run {
  return { deps, tx, ...how, rootId: (chain[0] as { id: string }).id, depth: chain.length, children: { count: 0 } };
}

async function lookAt(deps: DriveDeps, db: TenantReads, instanceId: string): Promise<Snapshot | undefined> {
  const pair = await findInstanceJourney(db, instanceId);
  if (!pair) return undefined;
  const { row, ...rest } = pair;
  const parts = await readParts(deps, db, row, pair.journey);
  return { root: row, instance: row, revision: pair.journey?.revision ?? 0, ...rest, ...parts };
}

const DATA_CONTEXT = 'journey';

async function readParts(deps: DriveDeps, db: TenantReads, row: InstanceRow, journey: StoredJourney | undefined) {
  const definition = await compiledDefinition(db, row.definition_id);
  const params = JSON.parse(row.parameters) as Record<string, string>;
  const sealed = journey?.sealed;
  const data: JourneyData = sealed
    ? JSON.parse(
        (await deps.vault.openFor(db, instanceSubject(row.id), DATA_CONTEXT, sealed, journey.data_key)).toString(
          'utf8',
        ),
      )
    : NO_DATA;
  const flow: State['flow'] = journey ? JSON.parse(journey.state) : { status: row.status, done: {} };
  return { definition, state: { flow, data, params } };
}

async function apply(run: Run, before: InstanceRow, trigger: Trigger): Promise<ApplyResult> {
  return readAndApply(run, { row: before, journey: await findJourney(run.tx, { instanceId: before.id }) }, trigger);
}

type RowAndJourney = Pick<InstanceJourney, 'row' | 'journey'>;

async function readAndApply(run: Run, locked: RowAndJourney, trigger: Trigger): Promise<ApplyResult> {
  return applyTo(run, { ...locked, ...(await readParts(run.deps, run.tx, locked.row, locked.journey)) }, trigger);
}

type Position = RowAndJourney & Pick<Snapshot, 'definition' | 'state'>;

async function applyTo(run: Run, position: Position, trigger: Trigger): Promise<ApplyResult> {
  const { deps, tx, now } = run;
  const { row: before, journey, definition, state } = position;
  const next = nextStep(definition, state, { ...trigger, now, freshId: newId(now) });
  if (next.refusal !== undefined) return next;
  const revision = (journey?.revision ?? 0) + 1;
  if (next.state === state && next.effects.length === 0) return { instance: before };

  const data =
    next.state.data === state.data ? (journey?.sealed ?? null) : await sealData(run, before, next.state.data, journey);
  if (next.state.data !== state.data) {
    await saveLinks(tx, before, journey?.sealed ? state : undefined, next.state);
  }
  saveJourney(tx, {
    instance_id: before.id,
    revision,
    state: JSON.stringify(next.state.flow),
    sealed: data,
    due_at: next.state.flow.current?.dueAt ?? null,
  });
  if (before.id !== run.rootId) touchJourney(tx, { instanceId: run.rootId });
  const after = afterChange(before, next.state, definition, now);
  const own = eventsOf(next.effects, after);
  const events = [...own, ...(await shownEvents(run, after, next.state))];
  const updated = await changeInstance(tx, before, { ...after, sequence: before.sequence + events.length });
  await addEvents(tx, before, events, now);
  await deps.notifyEvents(tx, after, events, { before: before.sequence, now });
  warnOfConditions(run, before, definition, next.effects);
  const { result = {} } = trigger.type === 'submit' ? trigger : {};
  // The events that steps send get their numbers before the event of the next step.
  const sender = { ...updated, sequence: before.sequence + own.length };
  await perform(run, sender, { definition, state: next.state, result }, next.effects);
  if (isFinal(updated.status) && updated.parent_id !== null) await tellParent(run, updated);
  const isMovedOn = next.effects.some((effect) => effect.type === 'child' || isSettledHere(definition, effect));
  if (isMovedOn) return { instance: (await findInstance(tx, before.id)) ?? updated };
  if (next.effects.some(({ type }) => type === 'carry')) return { instance: updated };
  return { instance: updated, after: { state: next.state, revision } };
}

function sealData(
  { deps, tx }: Run,
  { id }: InstanceRow,
  data: JourneyData,
  journey: StoredJourney | undefined,
): Promise<Uint8Array> {
  const plain = Buffer.from(JSON.stringify(data));
  return deps.vault.sealFor(tx, instanceSubject(id), DATA_CONTEXT, plain, journey?.data_key);
}

async function shownEvents({ deps, tx, isShown }: Run, row: InstanceRow, { flow }: State): Promise<NewEvent[]> {
  const { current } = flow;
  return isShown && current?.phase === 'user' ? deps.eventsOfView(tx, row, current) : [];
}

/** Logs conditions without a value for the operator; the tenant sees them in the events. */
function warnOfConditions(
  run: Run,
  row: InstanceRow,
  { definition, version }: CompiledDefinition,
  effects: readonly Effect[],
) {
  for (const effect of effects) {
    if (effect.type !== 'event' || effect.data?.rule === undefined) continue;
    const details = {
      tenantId: run.tx.tenantId,
      instanceId: row.id,
      definition: definition.name,
      version,
      ...effect.data,
    };
    run.tx.afterCommit(() => run.deps.warn(details, 'a condition could not be evaluated; the journey has ended'));
  }
}

type Transition = Pick<SettledStep, 'definition' | 'state' | 'result'>;

async function perform(run: Run, row: InstanceRow, transition: Transition, effects: readonly Effect[]) {
  const { deps, tx, now } = run;
  const { definition } = transition;
  for (const effect of effects) {
    if (effect.type === 'work') {
      const { step, attempt } = effect;
      if (settles(definition, step)) await settle(run, row, transition, effect);
      else {
        const job = needsLook(row, definition, step) ? LOOK_STEP : WORK_STEP;
        await deps.jobs.enqueue(tx, job, { instanceId: row.id, step, attempt });
      }
    } else if (effect.type === 'carry') {
      await carryImages(tx, { instanceId: row.id, ...effect });
    } else if (effect.type === 'checks') {
      saveChecks(tx, { instanceId: row.id, now }, effect);
    } else if (effect.type === 'forget') {
      for (const step of effect.steps) removeChecks(tx, { instanceId: row.id, step });
    } else if (effect.type === 'webhook') {
      const event = { type: 'instance.step', status: row.status, step: effect.step };
      await deps.sendWebhook(tx, effect.name, instanceEvent(row, event, row.sequence, now));
    } else if (effect.type === 'child') {
      const { step, childId } = effect;
      if (run.children.count >= CHILDREN_PER_TRANSACTION) {
        await deps.jobs.enqueue(tx, START_CHILD, { instanceId: row.id, step, childId });
      } else await startChild(run, row, definition.step(step) as SubprocessStep, childId);
    }
  }
}

type Work = Extract<Effect, { type: 'work' }>;

function isSettledHere(definition: CompiledDefinition, effect: Effect): boolean {
  return effect.type === 'work' && settles(definition, effect.step);
}

/** Settles a step that needs no machine: its findings are applied at once, in the transaction of the submission. */
async function settle(run: Run, row: InstanceRow, transition: Transition, { step, attempt }: Work): Promise<void> {
  const { deps, tx, now } = run;
  const findings = await settleStep(deps.identity, tx, { ...transition, row, step, now });
  const trigger = { type: 'findings', step, attempt, findings } as const;
  const { refusal } = await apply(run, await rowNow(run, row.id), trigger);
  if (refusal) throw new Error(`the findings of step ${step} were refused: ${refusal}`);
}

/** Creates a child and opens it at once, because its end user is present. */
async function startChild(run: Run, parent: InstanceRow, step: SubprocessStep, childId: string): Promise<void> {
  const { tx, now } = run;
  const { environment } = parent;
  const { definition: name, version } = step;
  const stored = await findDeployed(tx, { environment, name, ...(version && { version }) });
  const isFull = run.depth >= MAX_DEPTH || (await countDescendants(tx, run.rootId)) >= MAX_DESCENDANTS;
  if (stored?.status !== 'DEPLOYED_ACTIVE' || isFull) {
    await apply(run, await rowNow(run, parent.id), { type: 'childEnded', childId, status: 'COMPLETED_PROCESS_ERROR' });
    return;
  }
  run.children.count += 1;
  const parameters = { ...(JSON.parse(parent.parameters) as Record<string, string>), ...step.parameters };
  const origin = { row: parent, step: step.id, id: childId };
  const { notifyEvents } = run.deps;
  const definition = compiledOf(tx, stored);
  const { row } = await createInstance(tx, { definition, environment, parameters, parent: origin, now, notifyEvents });
  const child = {
    childProcessDefnName: stored.name,
    childProcessDefnVersion: stored.version,
    childProcessInstanceId: childId,
  };
  const event = { type: 'instance.childStarted', status: parent.status, step: step.id, data: child };
  await recordEvent({ tx, now, notifyEvents }, await rowNow(run, parent.id), event);
  await apply({ ...run, depth: run.depth + 1 }, row, { type: 'open' });
}

async function tellParent(run: Run, child: InstanceRow): Promise<void> {
  const { id, status, parent_id } = child;
  if (!isFinal(status) || parent_id === null) return;
  const parent = await rowNow(run, parent_id);
  await apply({ ...run, depth: run.depth - 1 }, parent, { type: 'childEnded', childId: id, status });
}

/** Reads a row again that this transaction has locked. */
async function rowNow({ tx }: Run, id: string): Promise<InstanceRow> {
  const row = await findInstance(tx, id);
  if (!row) throw new Error(`instance ${id} is gone in the transaction that holds it`);
  return row;
}
