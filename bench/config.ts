import { type Config, readConfig } from '@grove/server';

/** Where a server under measurement keeps its data. */
export type BenchPlace = {
  dataFolder: string;
  databaseUrl?: string;
  /** The first process of PostgreSQL, if it runs on this machine. */
  databasePid?: number | undefined;
  /** Without image analysis. */
  blind?: boolean;
};

/**
 * All other settings have their defaults, except the limits: a limiter that refuses the load would be measured instead of the
 * server.
 */
export function benchConfig({ dataFolder, databaseUrl = '', blind = false }: BenchPlace): Config {
  return readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    GROVE_DATA: dataFolder,
    GROVE_RATE_LIMIT: 'off',
    GROVE_LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
    ...(blind && { GROVE_VISION: 'off' }),
  });
}
