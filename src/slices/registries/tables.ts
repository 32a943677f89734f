/**
 * What the slice stores: extracts of registries, whose companies lie sorted in blobs, and lookups
 * with what was answered, sealed under a data key of each.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { RegistryName } from './identifiers.ts';
import { KEPT_YEARS } from './limits.ts';

/** A sorted part of an extract. */
export interface ExtractPart {
  /** The first key of it. */
  readonly from: string;
  readonly blob: string;
}

/** The extract of a registry that is in force. */
export interface RegistryExtract {
  readonly registry: RegistryName;
  readonly extractId: string;
  /** As of when the registry has said it. */
  readonly asOf: EpochMs;
  readonly importedAt: EpochMs;
  readonly companies: number;
  /** SHA-256 of the file. */
  readonly sha256: string;
  /** Companies by identifier. */
  readonly byIdentifier: readonly ExtractPart[];
  /** Identifiers by the words of names. */
  readonly byWord: readonly ExtractPart[];
  readonly version: number;
}

/** Extracts by registry. */
export const registryExtractTable = table<RegistryExtract, 'registry'>('registry_extract', {
  key: ['registry'],
  chain: 'platform',
  blobs: ({ byIdentifier, byWord }) => [...byIdentifier, ...byWord].map(({ blob }) => blob),
  personal: {
    byIdentifier: { purpose: 'registry lookups: published companies, with their officers' },
    byWord: { purpose: 'registry lookups: published companies, by the words of their names' },
  },
});

/** How far an answer is the one that was asked for. */
export const MATCHES = ['exact', 'candidates', 'none'] as const;
/** One of MATCHES. */
export type Match = (typeof MATCHES)[number];

/** What a registry has answered a tenant. */
export interface RegistryLookup {
  readonly tenantId: TenantId;
  readonly lookupId: string;
  readonly registry: RegistryName;
  /** Digest of what was asked. */
  readonly queryDigest: string;
  readonly source: 'cache' | 'file' | 'live';
  readonly asOf: EpochMs;
  /** When the registry was asked: from then on an answer grows old. */
  readonly answeredAt: EpochMs;
  readonly match: Match;
  /** SHA-256 of the answer, which lies sealed in the blob. */
  readonly answerSha256: string;
  readonly blob: string;
  readonly caseId?: string;
  readonly createdAt: EpochMs;
  readonly createdBy: string;
}

const YEAR_MS = 365.25 * 24 * 3_600_000;

/** Lookups by tenant and id. */
export const registryLookupTable = table<RegistryLookup, 'tenantId' | 'lookupId'>(
  'registry_lookup',
  {
    key: ['tenantId', 'lookupId'],
    chain: 'tenantId',
    indexes: {
      byCase: ['tenantId', 'caseId'],
      byQuery: ['tenantId', 'registry', 'queryDigest'],
    },
    writes: 'appendOnly',
    blobs: ({ blob }) => [blob],
    kept: { from: 'createdAt', ms: KEPT_YEARS * YEAR_MS },
    personal: {
      blob: { purpose: 'due diligence: what a registry has said of a company and its people' },
      createdBy: { purpose: 'accountability: who looked a company up' },
      queryDigest: { purpose: 'due diligence: the same question is answered from memory' },
    },
  },
);
