import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { UsageError } from './failure.ts';
import { localFetch } from './local-fetch.ts';
import type { CommonOptions } from './output.ts';

/** The options of commands that call a server over the network. */
export type ServerOptions = CommonOptions & { url?: string; apiKey?: string };

export const WHERE = `
Which server: --url and --api-key, or better the environment variables GROVE_URL and GROVE_API_KEY, which other users of
the machine cannot see in the list of processes.`;

export function onServer(command: Command): Command {
  return command
    .option('--url <address>', 'the base address of the tenant; by default GROVE_URL')
    .option('--api-key <key>', 'the API key for the calls; by default GROVE_API_KEY');
}

/** Lists are read in the largest pages that there are. */
export const LARGEST_PAGE = 1000;

export type Environment = 'live' | 'test';
/** `environment` is that of the key, and so of everything made with it. */
export type Server = {
  readonly client: Client;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly environment: Environment;
};

const TEST_KEY = /^grv_test_/;
const environments = new WeakMap<Client, Environment>();

/** The environment of the API key with which the client calls. */
export function environmentOf(client: Client): Environment {
  return environments.get(client) ?? 'live';
}

export async function serverFrom(options: ServerOptions): Promise<Server> {
  const baseUrl = options.url ?? process.env.GROVE_URL;
  const apiKey = options.apiKey ?? process.env.GROVE_API_KEY;
  if (!baseUrl || !apiKey) {
    throw new UsageError(
      `Which server? ${baseUrl ? 'Its address is set, but no API key' : 'No address is set'}. Set GROVE_URL ` +
        'and GROVE_API_KEY, or use --url and --api-key. An operator without a key makes one on the machine of the ' +
        'server: grove keys create <name> --tenant <id>',
    );
  }
  // Loaded only here: it includes the whole contract, which most commands do not need.
  const { createClient } = await import('grove-idv-sdk');
  try {
    const environment = TEST_KEY.test(apiKey) ? 'test' : 'live';
    const client = createClient({ baseUrl, apiKey, fetch: localFetch });
    environments.set(client, environment);
    return { client, baseUrl, apiKey, environment };
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
