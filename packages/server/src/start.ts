import { type App, openApp } from './app.ts';
import type { Config } from './config.ts';
import { areImagesOfOneMachine } from './config-places.ts';
import { UnreadableEntries } from './erasure-log/replay-erasures.ts';
import { lockInstallation, prepareInstallation } from './installation.ts';
import { releaseMemory } from './release-memory.ts';
import { type Demonstration, ensureDemonstration, readDemonstration } from './tenants/demonstration.ts';
import { OperatorError } from './tenants/tenants.ts';

/** A server that runs: prepared, listening, with its demonstration if it has one. */
export type Running = {
  app: App;
  port: number;
  baseUrlOf(tenantId: string): string;
  demonstration: Demonstration | undefined;
  stop(): Promise<void>;
};

export type StartOptions = {
  /** Always make one, never, or only on an empty data folder. */
  demonstration?: 'always' | 'never' | 'whenEmpty';
  /** Start although entries of the list of what was erased cannot be read: who was erased may come back. */
  force?: boolean;
  /** Start on PostgreSQL although images are kept on this machine, where no other server could read them. */
  isOnlyServer?: boolean;
};

export async function startServer(
  config: Config,
  { demonstration = 'whenEmpty', force = false, isOnlyServer = false }: StartOptions = {},
): Promise<Running> {
  if (areImagesOfOneMachine(config) && !isOnlyServer) {
    throw new OperatorError(
      `The database is PostgreSQL, but images would be kept in ${config.blobFolder}, where another server cannot read them. ` +
        'Set BLOB_URL to a bucket or to a folder that all servers share. If this is the only server: grove start --yes.',
    );
  }
  const lock = lockInstallation(config);
  try {
    const { wasEmpty } = await prepareInstallation(config);
    const app = await openApp(config);
    try {
      const isWanted = demonstration === 'always' || (demonstration === 'whenEmpty' && wasEmpty);
      const shownDemonstration = isWanted
        ? await ensureDemonstration(app, config.dataFolder)
        : demonstration === 'never'
          ? undefined
          : readDemonstration(config.dataFolder);
      // Before anybody can call: routes are made ready first, because that needs much memory too.
      await app.http.ready();
      releaseMemory();
      const { port, baseUrlOf } = await app.listen({ force }).catch((error) => explainUnreadable(config, error));
      const stop = async () => {
        await app.stop();
        lock?.release();
      };
      return { app, port, baseUrlOf, demonstration: shownDemonstration, stop };
    } catch (error) {
      await app.stop();
      throw error;
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function explainUnreadable({ masterKey }: Config, error: unknown): never {
  if (!(error instanceof UnreadableEntries)) throw error;
  const keyPlace = 'file' in masterKey ? masterKey.file : 'GROVE_MASTER_KEY';
  throw new OperatorError(
    `${error.message}. A database that was restored may hold persons who were erased, so the server does not start. ` +
      `Put every version of the master key that is missing into ${keyPlace}, beside those that are there. Remove an entry ` +
      'that is damaged from erased/, in the place of the blobs. To start without these entries: grove start --force.',
  );
}
