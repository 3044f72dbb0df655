/**
 * Shell commands in the documents that documented-commands.test.ts does not run; it runs all others. Each entry has a page
 * and the beginning of a block.
 */
type Entry = readonly [file: string, begins: string, where: string];

/** Commands that another test or the drill runs, word by word or with the same arguments. */
export const RUN_ELSEWHERE: readonly Entry[] = [
  ['docs/production.md', '', 'scripts/production-drill/drill.ts'],
  ['docs/quick-start.md', 'npm start --silent -- --json', 'packages/cli/src/commands/start.test.ts'],
  ['docs/quick-start.md', 'BASE=http://localhost:8080', 'packages/cli/src/documentation.test.ts'],
  ['docs/quick-start.md', 'TOKEN=$(curl', 'packages/cli/src/documentation.test.ts'],
  ['docs/quick-start.md', 'curl -s -X POST $BASE/api/arthr/apiKeys', 'packages/cli/src/documentation.test.ts'],
  ['docs/quick-start.md', 'GROVE_API_KEY=', 'packages/cli/src/documentation.test.ts'],
  ['docs/definitions.md', 'export GROVE_URL', 'packages/cli/src/documentation.test.ts'],
  ['docs/operating.md', 'npx grove migrate', 'packages/cli/src/documentation.test.ts'],
  ['docs/operating.md', 'npx grove tenant create', 'packages/cli/src/documentation.test.ts'],
  ['docs/operating.md', 'npx grove backup /backups/grove.sqlite', 'packages/cli/src/documentation.test.ts'],
  ['docs/operating.md', 'npx grove rotate', 'packages/cli/src/documentation.test.ts'],
  ['docs/operating.md', 'node packages/cli/bin/grove start', 'packages/cli/src/commands/start.test.ts'],
  ['docs/operating.md', 'createuser', 'scripts/production-drill/drill.ts'],
  ['docs/operating.md', '  pg_dump', 'scripts/production-drill/drill.ts'],
  ['docs/operating.md', 'npx grove backup /backups/before', 'packages/cli/src/commands/backup-images.test.ts'],
  ['docs/custom-pages.md', 'npx grove page dev', 'packages/cli/src/page-tester/tester.test.ts'],
  ['docs/webhooks.md', 'npx grove listen', 'packages/cli/src/commands/listen.test.ts'],
  ['docs/identity-store.md', 'DATA=$(base64', 'packages/server/src/identity-store/biometrics/biometrics.test.ts'],
  ['docs/watchlists.md', 'curl', 'packages/server/src/watchlist-manager/members.test.ts'],
  ['docs/push-notifications.md', 'curl', 'packages/server/src/identity-store/push-notifications/push-policies.test.ts'],
  ['packages/sdk/README.md', 'npm install', 'scripts/release/server-package.long.test.ts'],
];

/** Commands that nothing runs, each with the reason. */
export const NOT_RUN: readonly Entry[] = [
  ['README.md', 'npm ci && npm start', 'installs the repository; the machine that runs the tests has done so'],
  ['README.md', 'npm ci && npm test', 'is the run that this test belongs to'],
  [
    'docs/quick-start.md',
    'npm ci && npm start',
    'installs the repository; the machine that runs the tests has done so',
  ],
  ['docs/configuration.md', 'npm start', 'starts servers on fixed ports'],
  ['docs/vision.md', 'npm run accuracy', 'takes minutes, and pictures that are not in the repository'],
  ['docs/vision-liveness.md', 'npm run attacks', 'takes minutes'],
];
