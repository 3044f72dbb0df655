import { type Config, ConfigError, type Environment, readConfig } from '../config.ts';
import { readTenantRegions } from '../tenants/tenant-regions.ts';
import { type Check, fault, ok } from './check.ts';

const NODE_MAJOR = 24;

export function checkNode(version: string): Check {
  if (Number.parseInt(version, 10) >= NODE_MAJOR) return ok('node', `Node ${version}.`);
  return fault('node', `Node ${version} is too old.`, `Install Node ${NODE_MAJOR} or newer.`);
}

/** Reads the configuration. Without it, nothing else can be checked. */
export function checkConfiguration(environment: Environment): { config: Config | undefined; checks: Check[] } {
  const name = 'configuration';
  try {
    const config = readConfig(environment);
    const { region, tenantRegions, database, dataFolder } = config;
    if (tenantRegions !== undefined) readTenantRegions(tenantRegions);
    return { config, checks: [ok(name, `Region ${region}, ${database.engine}, data in ${dataFolder}.`)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const checks = error.faults.map((each) => fault(name, each, 'See grove help configuration.'));
    return { config: undefined, checks };
  }
}
