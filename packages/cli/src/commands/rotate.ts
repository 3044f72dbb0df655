import { randomBytes } from 'node:crypto';
import type { Config, Operator } from '@grove/server';
import type { Command } from 'commander';
import { confirmByTyping } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import { asOperator, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, defineGroup, examples, print, type Result } from '../output.ts';
import { progressLine } from '../progress.ts';

type MasterOptions = CommonOptions & { dropOld?: true; yes?: true };

export function defineRotate(program: Command): void {
  const rotate = defineGroup(program, 'rotate', 'replace keys: of tokens, of the installation, of a tenant');
  define(rotate, 'signing-key', 'sign tokens with a new key; those signed before stay good until they expire')
    .addHelpText('after', examples('grove rotate signing-key'))
    .action(async (options: CommonOptions) => print(options, await rotateSigningKey()));
  define(rotate, 'master-key', 'add a version to the master key and seal everything with it')
    .option('--drop-old', 'drop the old versions, after a question; every server must be stopped')
    .option(
      '--yes',
      'with --drop-old: do not ask for confirmation. All servers must be stopped; older backups will need the file of old versions',
    )
    .addHelpText(
      'after',
      `${examples('grove rotate master-key', 'grove rotate master-key --drop-old')}
A running server keeps working, but may seal with the version it has read at its start. So the old versions can be
dropped only while no server runs. --drop-old adds a version only if there is just one. What it drops goes into a file
beside the key, master.key.retired-<time>: put it away from the server, and keep it while you keep backups from before.
A key in GROVE_MASTER_KEY cannot be changed from here: the command says what to do.`,
    )
    .action(async (options: MasterOptions) => print(options, await rotateMasterKey(options)));
  define(rotate, 'tenant-key <tenantId>', "give a tenant a new key and seal its subjects' keys with it")
    .addHelpText('after', examples('grove rotate tenant-key acme'))
    .action(async (id: string, options: CommonOptions) => print(options, await rotateKeyOfTenant(id)));
}

async function rotateSigningKey(): Promise<Result> {
  const kid = await asOperator(await operatorConfig(), ({ signing }) => signing.rotate());
  const text = `The new key ${kid} is published within 30 seconds. In two minutes every running server signs with it.`;
  return { value: { kid }, text };
}

async function rotateKeyOfTenant(tenantId: string): Promise<Result> {
  const { findTenant, isTenantId, OperatorError, rotateTenantKey } = await import('@grove/server');
  const line = progressLine();
  const done = await asOperator(await operatorConfig(), async ({ db, vault }) => {
    if (!isTenantId(tenantId) || !(await findTenant(db.system, { id: tenantId }))) {
      throw new OperatorError(`There is no tenant ${tenantId}. grove tenant list shows those there are`);
    }
    const show = (examined: number, total: number) => line.show('data keys', examined, total);
    return rotateTenantKey(db.of(tenantId), vault, show);
  }).finally(() => line.end());
  const text = `The tenant ${tenantId} has version ${done.version} of its key; ${done.dataKeys} data keys are sealed with it.`;
  return { value: { tenantId, ...done }, text };
}

async function rotateMasterKey(options: MasterOptions): Promise<Result> {
  const config = await operatorConfig();
  if ('env' in config.masterKey) {
    if (options.dropOld) throw new UsageError('The master key is in GROVE_MASTER_KEY: drop its old versions there');
    return rotateInEnvironment(config, config.masterKey.env);
  }
  return rotateFile(config, config.masterKey.file, options);
}

async function rotateFile(config: Config, file: string, { dropOld, yes }: MasterOptions): Promise<Result> {
  const { lockInstallation } = await import('@grove/server');
  // Data that a running server seals with an old version would be lost when that version is dropped.
  const lock = dropOld ? lockInstallation(config) : undefined;
  try {
    return await asOperator(config, async (operator) => {
      const alone = await onlyRotation(file);
      try {
        if (dropOld && !yes) await confirmDrop(config, file);
        return await rotateAlone(operator, { config, file, dropOld: dropOld === true });
      } finally {
        alone.release();
      }
    });
  } finally {
    lock?.release();
  }
}

/** Asks before anything changes: without the old versions nobody can restore an older backup. */
async function confirmDrop(config: Config, file: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('There is no terminal to ask for confirmation: stop every server, then add --yes');
  const { isFile, masterKeyVersions } = await import('@grove/server');
  const others = isFile(config.database) ? '' : ' Other servers of PostgreSQL cannot be seen from here: stop them all.';
  const question =
    `Version ${masterKeyVersions(file).join(', ')} of the master key: only the newest stays in ${file}. Backups from ` +
    `before need the old ones, which go into a file beside it, for you to put away.${others}\nType "drop" to continue: `;
  if (!(await confirmByTyping(question, 'drop'))) {
    throw new UsageError('Nothing was changed. Add --yes to drop the old versions without a question');
  }
}

type Rotation = { config: Config; file: string; dropOld: boolean };

async function rotateAlone(operator: Operator, { config, file, dropOld }: Rotation): Promise<Result> {
  const { addMasterKeyVersion, keepNewestMasterKey, masterKeyVersions } = await import('@grove/server');
  await ensureReadable(config);
  const versions = masterKeyVersions(file);
  // A version that was added before and is not the only one yet needs no further version above it.
  const version = dropOld && versions.length > 1 ? (versions[0] as number) : addMasterKeyVersion(file);
  const resealed = await reseal(operator, config, version);
  const retired = dropOld ? keepNewestMasterKey(file, Date.now()) : undefined;
  const text = [
    `The master key has version ${version}. Sealed with it: ${countsText(resealed)}.`,
    ...(dropOld
      ? [
          `The old versions are in ${retired}. Put that file away, apart from the server and the backups.`,
          'Delete it when you have deleted the last backup from before today: until then a restore needs it.',
        ]
      : [`The old versions are still in ${file}. Restart the servers; grove rotate master-key --drop-old drops them.`]),
    'Keep a copy of the file, apart from the backups.',
  ];
  const value = { version, resealed, oldVersionsDropped: dropOld, retired: retired ?? null, file };
  return { value, text: text.join('\n') };
}

/** Refuses a rotation that would leave entries of the list of erasures behind. */
async function ensureReadable(config: Config): Promise<void> {
  const { checkEntries, OperatorError, openErased, openMasterKey } = await import('@grove/server');
  const entryStore = openErased(config, { now: Date.now });
  const { faults } = await checkEntries(entryStore, openMasterKey(config.masterKey), 0, Date.now());
  if (faults.length === 0) return;
  throw new OperatorError(
    `${faults.length} entries of the list of erasures cannot be read: ${faults.slice(0, MAX_SHOWN).join(', ')}. ` +
      'Put the missing versions of the master key in place, or remove an entry that is damaged. Nothing was changed.',
  );
}

const MAX_SHOWN = 5;

/** Locks the key file: two rotations at once would make one version twice, and lose the data of one. */
async function onlyRotation(file: string): Promise<{ release(): void }> {
  const { lockFile } = await import('@grove/server');
  const lock = lockFile(`${file}.lock`);
  if (!lock) throw new Error('The master key is being rotated by another process');
  return lock;
}

async function rotateInEnvironment(config: Config, text: string): Promise<Result> {
  const { parseMasterKey } = await import('@grove/server');
  const versions = [...parseMasterKey(text, 'GROVE_MASTER_KEY').keys()].sort((one, other) => other - one);
  const [newest = 0, ...old] = versions;
  const resealed = await asOperator(config, (operator) => reseal(operator, config, newest));
  const value = { version: newest, resealed, oldVersions: old };
  if (resealed.systemSecrets + resealed.tenantKeys + resealed.erasures > 0)
    return { value, text: resealedText(newest, old, resealed) };
  const suggested = `${newest + 1}:${randomBytes(32).toString('base64')}`;
  return { value: { ...value, suggested }, text: twoSteps(newest, old, suggested) };
}

function resealedText(newest: number, old: readonly number[], resealed: Resealed): string {
  return [
    `Sealed with version ${newest} of GROVE_MASTER_KEY: ${countsText(resealed)}.`,
    `When every server runs with version ${newest}, take version ${old.join(', ')} out of GROVE_MASTER_KEY.`,
    'Older backups still need it.',
  ].join('\n');
}

function twoSteps(newest: number, old: readonly number[], suggested: string): string {
  return [
    `Everything is sealed with version ${newest}, the newest in GROVE_MASTER_KEY.`,
    ...(old.length > 0 ? [`Version ${old.join(', ')} is no longer needed, except for older backups.`] : []),
    '',
    'The key comes from the environment, which cannot be changed from here. To rotate it:',
    '',
    '  1. Put a new version before what GROVE_MASTER_KEY holds, with a comma between, and restart every server.',
    `     A new one, made just now and stored nowhere: ${suggested}`,
    '  2. Run grove rotate master-key again, in that environment: it seals everything with the new version.',
  ].join('\n');
}

type Resealed = { systemSecrets: number; tenantKeys: number; erasures: number };

/** Seals everything with the newest version, and checks that nothing needs an older one. */
async function reseal({ db }: Pick<Operator, 'db'>, config: Config, version: number): Promise<Resealed> {
  const { checkSeals, everyTenantId, OperatorError, openErased, openMasterKey, resealEntries, resealWithMasterKey } =
    await import('@grove/server');
  const master = openMasterKey(config.masterKey);
  const line = progressLine();
  const total = (await Array.fromAsync(everyTenantId(db.system))).length;
  const each = (stage: string) => withProgress(everyTenantId(db.system), (done) => line.show(stage, done, total));
  const resealed = await resealWithMasterKey(db, master, each('sealing the keys of tenants'));
  const { faults, versions } = await checkSeals(db, master, each('checking the keys of tenants'));
  line.end();
  const erased = await resealEntries(openErased(config, { now: Date.now }), master, Date.now());
  if (faults.length + erased.faults.length > 0 || [...versions].some((each) => each !== version)) {
    throw new OperatorError(
      'Not everything could be sealed with the new version, so the old versions were kept. Run grove doctor, then try again.',
    );
  }
  return { ...resealed, erasures: erased.resealed };
}

async function* withProgress<T>(items: AsyncIterable<T>, show: (done: number) => void): AsyncGenerator<T> {
  let done = 0;
  for await (const item of items) {
    yield item;
    done += 1;
    show(done);
  }
}

function countsText({ systemSecrets, tenantKeys, erasures }: Resealed): string {
  return `${systemSecrets} secrets of the installation, ${tenantKeys} keys of tenants, ${erasures} entries of the list of erasures`;
}
