/**
 * The arrows of the house (see ARCHITECTURE.md):
 *
 *   console, journey, cli → sdk → contract ← server → vision      cli → server, vision
 *   server:  app → http → kernel;   features → kernel, db, secrets, jobs, engines, contract
 */
const notTests = '\\.(test|check)\\.ts$|/test/';

/** The floors of process-manager/: a folder knows those below it, and none above. */
const FLOORS = [
  ...['cloud-secrets', 'engine', 'definitions', 'assurance', 'instances', 'images', 'case-work'],
  ...[
    'settings',
    'tokens',
    'faces',
    'runtime',
    'funnel',
    'retention',
    'reviews',
    'usage',
    'what-if',
    'sandbox',
    'sealing',
    'exports',
  ],
];
const processManager = '^packages/server/src/process-manager';
const floors = FLOORS.map((floor, at) => ({
  name: `process-manager-${floor}-knows-no-floor-above`,
  severity: 'error',
  from: { path: `${processManager}/${floor}/`, pathNot: notTests },
  to: { path: `${processManager}/(${FLOORS.slice(at + 1).join('|') || '-'})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'contract-imports-nothing',
      comment: 'The contract is data: it imports only TypeBox, and no I/O except in its script.',
      severity: 'error',
      from: { path: '^packages/contract/src', pathNot: `${notTests}|write-(openapi|catalogues)\\.ts$` },
      to: { pathNot: '^packages/contract/src|^node_modules/typebox/' },
    },
    {
      name: 'sdk-imports-only-types-of-the-contract',
      severity: 'error',
      from: { path: '^packages/sdk/src', pathNot: `${notTests}|write-routes\\.ts$` },
      to: { pathNot: '^packages/sdk/src', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'vision-imports-nothing-of-grove',
      comment: 'Images in, findings out: it could be another process, or another product.',
      severity: 'error',
      from: { path: '^packages/vision/', pathNot: notTests },
      to: { path: '^(packages|scripts|bench)/', pathNot: '^packages/vision/src/' },
    },
    {
      name: 'only-the-door-knows-vision',
      comment: 'What looks at pictures could be another process: the rest of the server asks engines/vision.',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: `${notTests}|^packages/server/src/engines/vision/` },
      to: { path: '^packages/vision/' },
    },
    {
      name: 'journey-imports-only-types-of-grove',
      comment: 'It runs in the browser of an end user, where every byte counts and nothing of the server belongs.',
      severity: 'error',
      from: { path: '^packages/journey/src', pathNot: notTests },
      to: { path: '^packages/(?!journey/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'embed-imports-nothing',
      comment: 'It runs in pages of relying parties and weighs 5 kB.',
      severity: 'error',
      from: { path: '^packages/embed/src', pathNot: notTests },
      to: { pathNot: '^packages/embed/src' },
    },
    {
      name: 'console-imports-only-types-of-grove',
      comment:
        'It runs in the browser of an operator; what it knows of the contract is written into it when it is built.',
      severity: 'error',
      from: { path: '^packages/console/src', pathNot: notTests },
      to: { path: '^packages/(?!console/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'server-does-not-import-clients',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: notTests },
      to: { path: '^packages/(sdk|cli|journey|console|embed)/' },
    },
    {
      name: 'kernel-knows-no-feature',
      severity: 'error',
      from: { path: '^packages/server/src/kernel', pathNot: notTests },
      to: {
        path: '^packages/server/src/',
        pathNot: '^packages/server/src/kernel/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'features-do-not-know-http',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: `${notTests}|^packages/server/src/(http/|app\\.ts$)` },
      to: { path: '^packages/server/src/http/' },
    },
    {
      name: 'http-knows-no-feature',
      severity: 'error',
      from: { path: '^packages/server/src/http', pathNot: notTests },
      to: {
        path: '^packages/server/src/',
        pathNot: '^packages/server/src/(http|kernel|db|secrets)/|^packages/server/src/config\\.ts$',
      },
    },
    {
      name: 'only-http-knows-fastify',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: `${notTests}|^packages/server/src/(http/|app\\.ts$)` },
      to: { path: '^node_modules/fastify/' },
    },
    {
      name: 'db-knows-no-feature',
      severity: 'error',
      from: { path: '^packages/server/src/db', pathNot: notTests },
      to: { path: '^packages/server/src/', pathNot: '^packages/server/src/(db|kernel)/' },
    },
    {
      name: 'jobs-know-no-feature',
      comment: 'Features hand their handlers to the queue; the queue knows only where it is stored.',
      severity: 'error',
      from: { path: '^packages/server/src/jobs', pathNot: notTests },
      to: { path: '^packages/server/src/', pathNot: '^packages/server/src/(jobs|leases|db|kernel)/' },
    },
    {
      name: 'leases-know-no-queue',
      comment:
        'A queue hands its policy to the worker: which items it claims, how it runs them, how it writes results.',
      severity: 'error',
      from: { path: '^packages/server/src/leases', pathNot: notTests },
      to: { path: '^packages/server/src/', pathNot: '^packages/server/src/(leases|db|kernel)/' },
    },
    {
      name: 'the-engine-is-pure',
      comment: 'process-manager/engine decides: no database, no jobs, no blobs. runtime/ carries out what it decides.',
      severity: 'error',
      from: { path: '^packages/server/src/process-manager/engine/', pathNot: notTests },
      to: {
        path: '^packages/server/src/',
        pathNot:
          '^packages/server/src/(process-manager/(engine|cloud-secrets/secret-names)|kernel|engines/(vision|outbound/header-rules))',
      },
    },
    ...floors,
    {
      name: 'a-repository-belongs-to-its-folder',
      comment: 'A repository is called from the folder it stands in or below; others ask the feature.',
      severity: 'error',
      from: { path: '^(packages/server/src/[^/]+)/', pathNot: notTests },
      to: {
        path: '^packages/server/src/([^/]+)/.*\\.repository\\.ts$',
        pathNot: '^$1/',
      },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: `${notTests}|\\.cjs$|index\\.ts$|\\.d\\.ts$` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What was built, and what is served as it stands.
    exclude: { path: '^packages/(journey|console)/(dist|public|old-browser)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
