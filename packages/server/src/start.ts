import { type App, openApp } from './app.ts';
import type { Config } from './config.ts';
import { lockInstallation, prepareInstallation } from './installation.ts';
import { type Demonstration, ensureDemonstration, readDemonstration } from './tenants/demonstration.ts';

/** A server that runs: prepared, listening, with its demonstration if it has one. */
export type Running = {
  app: App;
  port: number;
  baseUrlOf(tenantId: string): string;
  demonstration: Demonstration | undefined;
  stop(): Promise<void>;
};

/** `demonstration`: always make one, never, or only on an empty data folder. */
export type StartOptions = { demonstration?: 'always' | 'never' | 'whenEmpty' };

export async function startServer(
  config: Config,
  { demonstration = 'whenEmpty' }: StartOptions = {},
): Promise<Running> {
  const lock = lockInstallation(config);
  try {
    const { wasEmpty } = await prepareInstallation(config);
    const app = await openApp(config);
    try {
      const wanted = demonstration === 'always' || (demonstration === 'whenEmpty' && wasEmpty);
      const shown = wanted
        ? await ensureDemonstration(app, config.dataFolder)
        : demonstration === 'never'
          ? undefined
          : readDemonstration(config.dataFolder);
      const { port, baseUrlOf } = await app.listen();
      const stop = async () => {
        await app.stop();
        lock?.release();
      };
      return { app, port, baseUrlOf, demonstration: shown, stop };
    } catch (error) {
      await app.stop();
      throw error;
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}
