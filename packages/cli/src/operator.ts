import type { Config, Environment, Operator } from '@grove/server';

/** The variables of commands that call a server, which the server itself does not know. */
export const CLIENT_VARIABLES = {
  GROVE_URL: 'The base address of a tenant, for the commands that call a server; or --url',
  GROVE_API_KEY: 'The API key they call it with; or --api-key',
} as const;

/** The environment without these variables, because the server would refuse them as misspelt. */
export function serverEnvironment(environment: Environment = process.env): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !Object.hasOwn(CLIENT_VARIABLES, name)));
}

export async function operatorConfig(): Promise<Config> {
  const { readConfig } = await import('@grove/server');
  return readConfig(serverEnvironment());
}

export type Access = {
  /** True for commands that create an installation; the others require one. */
  mayMake?: boolean;
};

/**
 * Works directly on the database, even while a server runs on it. It never migrates, because a server of an older
 * release may be using the tables.
 */
export async function asOperator<T>(
  config: Config,
  work: (operator: Operator) => Promise<T>,
  { mayMake = false }: Access = {},
): Promise<T> {
  const { OperatorError, openOperator, prepareInstallation, readMigrationState } = await import('@grove/server');
  const { applied, pending } = await readMigrationState(config.database);
  const isNew = applied.length === 0;
  if (isNew && !mayMake) throw new OperatorError(`There is no installation yet: ${placeOf(config)}. ${HOW_TO_MAKE}`);
  if (!isNew && pending.length > 0) {
    throw new OperatorError('The database is of an older release. Run grove migrate, or start the server of this one.');
  }
  await prepareInstallation(config);
  const operator = await openOperator(config);
  try {
    return await work(operator);
  } finally {
    await operator.stop();
  }
}

const HOW_TO_MAKE = 'Make one with grove start or grove tenant create, or set GROVE_DATA to the right folder.';

function placeOf({ database }: Config): string {
  return 'file' in database ? `${database.file} does not exist` : 'the PostgreSQL database is empty';
}

export function masterKeyPlace({ masterKey }: Config): string {
  return 'file' in masterKey ? masterKey.file : 'the value of GROVE_MASTER_KEY';
}
