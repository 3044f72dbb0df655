import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { UsageError } from '../failure.ts';
import { LARGEST_PAGE, onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result } from '../output.ts';

type ExportOptions = ServerOptions & { force?: true };

export function defineExport(program: Command): void {
  onServer(define(program, 'export <folder>', 'write the configuration of the tenant to a folder for grove apply'))
    .option('--force', 'replace existing files that differ')
    .addHelpText(
      'after',
      `${examples('grove export ./grove', 'grove export ./grove --force')}
Writes the newest deployed version of every definition with its tags, the settings, custom pages, and identity stores, watchlists,
webhooks, themes, cloud secrets and API keys without members, users and values of secrets. grove plan finds it unchanged.
${WHERE}`,
    )
    .action(async (folder: string, options: ExportOptions) => print(options, await exportTo(folder, options)));
}

async function exportTo(folder: string, options: ExportOptions): Promise<Result> {
  const { client, baseUrl } = await serverFrom(options);
  const { DEFINITIONS } = await import('../configuration/read-folder.ts');
  const files = await filesOf(client, baseUrl);
  const merged = mergedNames([...files.keys()]);
  if (merged) {
    const [one, other] = merged.map((name) => JSON.stringify(name));
    throw new UsageError(
      `${one} and ${other} differ only in upper and lower case, or in dots and blanks at the end. Many disks take them for one. Archive one of them first.`,
    );
  }
  const linked = [...files.keys()].filter((file) => isBehindLink(folder, file));
  if (linked.length > 0) {
    throw new UsageError(`${folder} holds links where ${linked.join(', ')} would be written. Remove the links first.`);
  }
  const differing = [...files].filter(([file, text]) => isOther(join(folder, file), text)).map(([file]) => file);
  if (differing.length > 0 && !options.force) {
    throw new UsageError(
      `${folder} holds ${differing.join(', ')} already, with other content. Use --force to replace what is there.`,
    );
  }
  mkdirSync(join(folder, DEFINITIONS), { recursive: true });
  for (const [file, content] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  const names = [...files.keys()];
  return {
    value: { folder, files: names },
    text: [`Written to ${folder}:`, ...names.map((name) => `  ${name}`)].join('\n'),
  };
}

const NAME = /^[a-z0-9-]+$/;

/** The contents to write, by file name. */
async function filesOf(client: Client, baseUrl: string): Promise<Map<string, string | Buffer>> {
  // Loaded only here, because few commands write YAML.
  const { DEFINITIONS, SETTINGS } = await import('../configuration/read-folder.ts');
  const { toYaml } = await import('../configuration/show-plan.ts');
  const files = new Map<string, string | Buffer>();
  // Editors read this line, so that they know all members and their descriptions.
  const schemaLine = (name: string) => `# yaml-language-server: $schema=${new URL(`/schemas/${name}.json`, baseUrl)}\n`;
  const query = { status: 'DEPLOYED_ACTIVE' as const, sort: ['name', 'environment,desc', 'version,desc'] };
  const largePages = { query: { ...query, size: LARGEST_PAGE } };
  for await (const { id, name } of client.processDefinitions.list.all(largePages)) {
    // The names come from the server and must not lead to paths outside the folder.
    if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of a definition`);
    const file = `${DEFINITIONS}/${name}.yaml`;
    // The newest version comes first, and with a test key test versions come before live ones.
    if (files.has(file)) continue;
    const { document, tags } = await client.processDefinitions.get({ processDefinitionId: id });
    files.set(file, schemaLine('process-definition') + toYaml(tags.length > 0 ? withTags(document, tags) : document));
  }
  const { embedOrigins, lastUpdatedDtm: _lastUpdated, ...settings } = await client.processSettings.get();
  const writtenSettings = { ...settings, ...(embedOrigins.length > 0 && { embedOrigins }) };
  files.set(SETTINGS, schemaLine('settings') + toYaml(writtenSettings));
  const { FILE_KINDS, fileOf } = await import('../configuration/kinds.ts');
  const { exportResources } = await import('../configuration/resources.ts');
  for (const kind of FILE_KINDS) {
    const list = await exportResources(client, kind);
    if (list.length > 0) files.set(fileOf(kind), schemaLine(kind) + toYaml({ [kind]: list }));
  }
  const { exportPages } = await import('../configuration/custom-pages.ts');
  return new Map([...files, ...(await exportPages(client))]);
}

function withTags({ steps, ...rest }: Record<string, unknown>, tags: readonly string[]) {
  return { ...rest, tags, steps };
}

/** Two paths that a disk may take for one: it ignores case, or dots and blanks at the end of a name. */
function mergedNames(files: readonly string[]): [string, string] | undefined {
  const pathsByFolded = new Map<string, string>();
  for (const file of files) {
    const names = file.split('/');
    for (let end = 1; end <= names.length; end++) {
      const path = names.slice(0, end).join('/');
      const folded = names
        .slice(0, end)
        .map((name) => name.toLowerCase().replace(/[. ]+$/, ''))
        .join('/');
      const other = pathsByFolded.get(folded) ?? path;
      if (other !== path) return [other, path];
      pathsByFolded.set(folded, path);
    }
  }
  return undefined;
}

/** A link of a folder that somebody else made may lead to any file of the user. */
function isBehindLink(folder: string, file: string): boolean {
  const names = file.split('/');
  const paths = names.map((_name, at) => join(folder, ...names.slice(0, at + 1)));
  return paths.some((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
}

function isOther(path: string, content: string | Buffer): boolean {
  return existsSync(path) && !readFileSync(path).equals(Buffer.from(content));
}
