import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The notice of third-party licences: every package that a running Grove loads, with the text of its licence. Written
 * from the lock file, so it lists the same packages on every machine; `--check` says whether it is fresh.
 */
const FILE = 'THIRD-PARTY-NOTICES.md';

type Locked = {
  /** What an alias stands for. */
  name?: string;
  version?: string;
  dev?: boolean;
  link?: boolean;
  license?: string;
  /** Optional and for some systems only: a binary, of which every machine has another. */
  optional?: boolean;
  os?: string[];
};
type Manifest = { license?: string | { type?: string }; licenses?: { type?: string }[] };

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

const shipped = Object.entries(lock.packages)
  .filter(([path, each]) => path.includes('node_modules/') && !each.link && !each.dev && existsSync(path))
  .filter(([, { optional, os }]) => !(optional && os))
  .map(([path, each]) => ({
    path,
    name: each.name ?? path.slice(path.lastIndexOf('node_modules/') + 13),
    version: each.version ?? '',
  }))
  .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : one.version < other.version ? -1 : 1))
  .filter(({ name, version }, at, all) => name !== all[at - 1]?.name || version !== all[at - 1]?.version);

function licenceOf(path: string): string {
  const { license, licenses } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as Manifest;
  const named =
    typeof license === 'string' ? license : (license?.type ?? licenses?.map(({ type }) => type).join(' OR '));
  return named || 'see the text';
}

function textOf(path: string): string {
  const file = readdirSync(path).find((name) => /^(licen[cs]e|copying)(\.|-|$)/i.test(name));
  return file
    ? readFileSync(`${path}/${file}`, 'utf8').replaceAll('\r\n', '\n').trim()
    : '(the package carries no text)';
}

/** What a package carries within, and its own licence says nothing about. */
const CARRIED: Readonly<Record<string, string>> = {
  '@hyzyla/pdfium':
    'It carries PDFium (Copyright The PDFium Authors; BSD-3-Clause and Apache-2.0, https://pdfium.googlesource.com/pdfium), ' +
    'which is built with AGG 2.3 (permissive), Abseil (Apache-2.0), FreeType (FTL), ICU (Unicode-3.0), Little CMS (MIT), ' +
    'libjpeg-turbo (IJG and BSD-3-Clause), OpenJPEG (BSD-2-Clause) and zlib (Zlib).',
};

const sections = shipped.map(({ path, name, version }) => {
  const quoted = textOf(path).replace(/^/gm, '    ').replace(/ +$/gm, '');
  const carried = CARRIED[name] ? `${CARRIED[name]}\n\n` : '';
  return `## ${name} ${version}\n\nLicence: ${licenceOf(path)}\n\n${carried}${quoted}\n`;
});
const notice = `# Third-party notices\n\nGrove is built on these packages. This file is written by \`npm run generate\`.\n\n${sections.join('\n')}`;

if (process.argv.includes('--check')) {
  if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== notice) {
    console.error(`${FILE} is stale: run npm run generate`);
    process.exitCode = 1;
  }
} else {
  writeFileSync(FILE, notice);
}
