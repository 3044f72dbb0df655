import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildEmbed } from './build-embed.ts';
import { buildSdk } from './build-sdk.ts';
import { buildPages, buildServer } from './build-server.ts';
import { PLATFORMS, pack, ROOT } from './packages.ts';
import { ensureReleasable } from './releasable.ts';

/**
 * `npm run release` builds and packs everything into build/release, with checksums and a bill of materials (CycloneDX) of the
 * lock file. Refuses a tree with changes, because nobody could say later what was released.
 */
const OUT = join(ROOT, 'build/release');

const version = ensureReleasable(ROOT);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
buildPages();
const work = join(ROOT, 'build/packages');
const tarballs: string[] = [];
await buildSdk(join(work, 'sdk'));
tarballs.push(pack(join(work, 'sdk'), OUT));
await buildEmbed(join(work, 'embed'));
tarballs.push(pack(join(work, 'embed'), OUT));
for (const platform of PLATFORMS) {
  const folder = join(work, `server-${platform.os}-${platform.cpu}`);
  await buildServer(folder, platform);
  tarballs.push(pack(folder, OUT));
}
const sbom = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
writeFileSync(
  join(OUT, 'grove.cdx.json'),
  execFileSync('npm', sbom, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] }),
);
const files = [...tarballs, join(OUT, 'grove.cdx.json')];
const sums = files.map(
  (file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`,
);
writeFileSync(join(OUT, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`Grove ${version} is packed in build/release:\n\n${sums.join('')}\nNext: git tag v${version}\n`);
