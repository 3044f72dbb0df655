/**
 * What is done to an installation from beside a server. The server itself is `@grove/server/app` and
 * `@grove/server/start`, and what examines an installation is `@grove/server/doctor`: most commands of an operator need
 * none of these, and they take longer to load than the commands take.
 */
export type { App } from './app.ts';
export { baseUrlOf, type Config, ConfigError, type Environment, readConfig } from './config.ts';
export { VARIABLES } from './config-variables.ts';
export type { Db } from './db/db.ts';
export { planMigrations, readMigrationState, readMigrations } from './db/migrate.ts';
export { type MovedTable, type MoveProgress, moveDatabase } from './db/move/move-database.ts';
export { isFile, migrate, openDb } from './db/open.ts';
export { BackupError, backUpSqlite, restoreSqlite } from './db/sqlite/backup.ts';
export { lockFile } from './db/sqlite/folder-lock.ts';
export { KEPT_DATABASE_DAYS, keepMoved, stampOf } from './db/sqlite/kept-databases.ts';
export { openScrub } from './db/sqlite/scrub.ts';
export { openView, type View, viewSqlite } from './db/view.ts';
export type { Check } from './doctor.ts';
export { copyBlobs } from './engines/blobs/copy-blobs.ts';
export { openBlobs, openErased } from './engines/blobs/open.ts';
export { erasuresKnownUntil } from './erasure-log/erasure-marks.repository.ts';
export { checkEntries, type EntrySeals, resealEntries } from './erasure-log/reseal-entries.ts';
export {
  backUpImages,
  hashOfFile,
  keepNewest,
  type Places,
  restoreImages,
  verifyBackup,
} from './image-backup/image-backup.ts';
export { type Manifest, manifestsIn, readManifest } from './image-backup/manifest.ts';
export { lockInstallation, prepareInstallation } from './installation.ts';
export { ApiError } from './kernel/errors.ts';
export { isTenantId, type TenantId } from './kernel/ids.ts';
export { pageHeaders } from './kernel/page-headers.ts';
export { documentSigner } from './kernel/sign-document.ts';
export { type Operator, openOperator } from './operator.ts';
export { everyBlobKey, knownBlobs } from './process-manager/images/images.repository.ts';
export { checkSeals } from './secrets/check-seals.ts';
export {
  addMasterKeyVersion,
  keepNewestMasterKey,
  type MasterKey,
  masterKeyVersions,
  openMasterKey,
  parseMasterKey,
} from './secrets/master-key.ts';
export { resealWithMasterKey, rotateTenantKey } from './secrets/rotate.ts';
export type { Running } from './start.ts';
export { type DeletedTenant, deleteTenant } from './tenants/delete-tenant.ts';
export { everyTenantId, findTenant, setTenantStatus } from './tenants/tenants.repository.ts';
export { OperatorError } from './tenants/tenants.ts';
export { ArchiveRefused } from './theme-server/custom-pages/archive-refused.ts';
export { checkFiles, MAX_FILES, MAX_PAGE_BYTES, type PageFile } from './theme-server/custom-pages/check-files.ts';
export { isLitter } from './theme-server/custom-pages/check-path.ts';
export { readArchive } from './theme-server/custom-pages/read-archive.ts';
export { writePageArchive } from './theme-server/custom-pages/write-page-archive.ts';
