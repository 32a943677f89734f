/** Backups of an embedded installation (docs/operations.md). */
export { type CreateBackup, createBackup } from './createBackup.ts';
export { type BackupManifest, BackupRefusal } from './manifest.ts';
export { type RestoreBackup, restoreBackup } from './restoreBackup.ts';
