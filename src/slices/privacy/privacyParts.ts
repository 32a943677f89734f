/** The ports of the rules of privacy, built from whatever process holds the installation. */
import type { AuditStore, CommitEvidence, KeyRing } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { TenantDirectory } from '#core/identity';
import type { Tables } from '#core/kernel';
import type { Holding } from '#core/privacy';
import type { Clock } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type { Random } from '#platform/random';
import type { SecretBox } from '#platform/secretBox';
import { type CaseMeans, casePartsOf, findSubject } from '#slices/customers';
import type { ApprovePorts } from './approveErasure.ts';
import type { ExportPorts } from './exportRequest.ts';
import type { HoldPorts } from './legalHold.ts';
import type { PrivacyPorts } from './ports.ts';
import { settings } from './settings.ts';
import { type SignedPrivacy, signedPrivacy } from './signedPrivacy.ts';

/** What a process of any kind has for it. */
export interface PrivacyMeans {
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  readonly keyRing: KeyRing;
  readonly random: Random;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  once<Part>(make: (process: this) => Part): Part;
}

/** One for the process: what it has read of the chain is read once. */
export const signedPrivacyOf = (process: PrivacyMeans): SignedPrivacy => process.once(openSigned);

const openSigned = ({ clock, keyRing, storage }: PrivacyMeans): SignedPrivacy =>
  signedPrivacy({ audit: storage.audit, clock, keyRing, tables: storage.tables });

/** One for the process. */
export const privacyPartsOf = (process: PrivacyMeans): PrivacyPorts => process.once(openParts);

const openParts = (process: PrivacyMeans): PrivacyPorts => ({
  clock: process.clock,
  commit: process.commit,
  random: process.random,
  signed: signedPrivacyOf(process),
  tables: process.storage.tables,
});

/** What makes archives, beside. */
export interface ExportMeans extends PrivacyMeans {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
  readonly signer: Signer;
  holdings(): Promise<readonly Holding[]>;
}

/** One for the process. */
export const exportPartsOf = (process: ExportMeans): ExportPorts => process.once(openExportParts);

const openExportParts = (process: ExportMeans): ExportPorts => ({
  ...privacyPartsOf(process),
  blobs: process.blobs,
  dataKeys: process.dataKeys,
  holdings: () => process.holdings(),
  signer: process.signer,
});

/** What erases persons, beside. */
export interface EraseMeans extends ExportMeans, CaseMeans {
  readonly holder: string;
  readonly secrets: SecretBox;
  readonly tenants: Pick<TenantDirectory, 'settings'>;
}

/** What archives are made with, and what erasures are carried out and held up with. */
export type PrivacyDesk = ApprovePorts & HoldPorts;

/** One for the process. */
export const privacyDeskOf = (process: EraseMeans): PrivacyDesk => process.once(openDesk);

const openDesk = (process: EraseMeans): PrivacyDesk => ({
  ...exportPartsOf(process),
  audit: process.storage.audit,
  holder: process.holder,
  keyRing: process.keyRing,
  retentionYearsOf: async (tenantId) =>
    (await process.tenants.settings(tenantId)).of(settings).retentionYears,
  secrets: process.secrets,
  tables: process.storage.tables,
  waitingCorrections: async ({ subjectRef, tenantId }) => {
    const named = { externalRef: subjectRef, tenantId };
    return (await findSubject(casePartsOf(process), named))?.changes?.length ?? 0;
  },
});
