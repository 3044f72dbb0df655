import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Bundles the commands that tests start in hundreds of processes, each into one file, because loading a thousand modules took
 * half of the processor time of a start. The code is the same, and its modules have the paths of their sources. The bundle
 * contains the packages that every server loads. `packages/cli/src/documentation.test.ts` starts the command without a bundle,
 * and so does a test file that is run by itself.
 */
const CHILDREN = ['migrate', 'server', 'teller', 'worker'];
const ENTRIES = {
  grove: 'packages/cli/src/main.ts',
  ...Object.fromEntries(CHILDREN.map((name) => [name, `packages/server/test/children/${name}.ts`])),
};
/** Below the repository, so that packages can be resolved from there. */
const PLACE = resolve('node_modules/.cache/grove-commands');
const SOURCES = `${resolve('packages')}/`;
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Returns the folder with `grove.mjs` and one file for each child process of the server's tests. Writes only changed files. */
export async function bundleCommands(): Promise<string> {
  mkdirSync(PLACE, { recursive: true });
  removeOld();
  const newFolder = mkdtempSync(join(PLACE, 'new-'));
  await write(newFolder);
  const folder = join(PLACE, contentOf(newFolder));
  if (existsSync(folder)) rmSync(newFolder, { recursive: true });
  else renameSync(newFolder, folder);
  return folder;
}

async function write(dir: string): Promise<void> {
  const { rolldown } = await bundler();
  const bundle = await rolldown({
    input: ENTRIES,
    platform: 'node',
    logLevel: 'silent',
    plugins: [builtins, outside, atHome],
  });
  try {
    await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  } finally {
    await bundle.close();
  }
}

/**
 * The rolldown of Vite. As a dependency of its own, rolldown would make `npm ci` request its binaries of all platforms, which
 * not every registry has.
 */
function bundler(): Promise<typeof import('rolldown')> {
  const vite = createRequire(resolve('packages/journey/package.json')).resolve('vite');
  return import(pathToFileURL(createRequire(vite).resolve('rolldown')).href);
}

/**
 * An import of a builtin module reads all its exports, so that `node:http` loads a whole client that nobody uses: 0.07 s of
 * each start. This plugin reads builtin modules lazily, as `require` does, and only the exports that are used.
 */
const BUILTIN = '\0builtin:';
const builtins: import('rolldown').Plugin = {
  name: 'builtins',
  resolveId(source, _importer, { kind }) {
    return source.startsWith('node:') && kind === 'import-statement' ? `${BUILTIN}${source}` : null;
  },
  load(id) {
    if (!id.startsWith(BUILTIN)) return null;
    const name = id.slice(BUILTIN.length);
    const module = process.getBuiltinModule(name);
    if (module === undefined) throw new Error(`there is no ${name}`);
    const names = Object.keys(module).filter((each) => /^[A-Za-z_]\w*$/.test(each) && each !== 'default');
    const lines = names.map(
      (each) => `const get_${each} = /* @__PURE__ */ of('${each}');\nexport { get_${each} as ${each} };`,
    );
    return `const module = process.getBuiltinModule('${name}');
/* @__NO_SIDE_EFFECTS__ */ function of(each) { return module[each]; }
export default module;
${lines.join('\n')}
`;
  },
};

/** Packages that are bundled, with their dependencies. They have neither binaries nor workers, and read no files of their own. */
const INSIDE =
  /\/node_modules\/(@fastify\/proxy-addr|@marcbachmann\/cel-js|ajv|ajv-formats|commander|fast-json-stringify|fastify|ipaddr\.js|marked|pg|pg-copy-streams|re2js|yaml)\//;
/** pino starts a worker, so it is not bundled. */
const OUTSIDE = /\/node_modules\/pino\//;

/** Every other package is loaded from the place at which its importer resolves it. */
const outside: import('rolldown').Plugin = {
  name: 'outside',
  async resolveId(source, importer, options) {
    if (importer === undefined || source.startsWith('node:')) return null;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    if (!resolved || !isAbsolute(resolved.id)) return resolved;
    const isOwn = resolved.id.startsWith(SOURCES) && !isPackage(resolved.id);
    const isInside = (INSIDE.test(resolved.id) || isPackage(importer)) && !OUTSIDE.test(resolved.id);
    return !isOwn && !isInside ? { id: resolved.id, external: true } : resolved;
  },
};

const isPackage = (file: string) => file.includes('/node_modules/');

/** Gives each module its own `import.meta`. Only entries are started, and they do not read `import.meta.main`, so it is false. */
const atHome: import('rolldown').Plugin = {
  name: 'at-home',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.main', 'false');
  },
};

function contentOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  for (const name of readdirSync(PLACE)) {
    const folder = join(PLACE, name);
    const isOld = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > KEPT_MS;
    if (isOld) rmSync(folder, { recursive: true, force: true });
  }
}
