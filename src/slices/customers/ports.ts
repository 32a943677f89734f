/** What the rules of cases need: store, evidence, keys, people, and what others know. */
import type { CommitEvidence } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { FlagsOf, KnowsForm, RiskOfCase } from './asks.ts';
import type { SignedCases } from './signedCases.ts';

/** Who does what nobody asked for. */
export const BY_SYSTEM = 'system:customers';

/** What reads cases. */
export interface CaseReadPorts {
  readonly tables: Tables;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make' | 'open' | 'without'>;
  readonly random: Random;
  readonly signed: SignedCases;
}

/** What writes cases. */
export interface CasePorts extends CaseReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
  readonly flagsOf: FlagsOf;
  readonly knowsForm: KnowsForm;
  readonly riskOf: RiskOfCase;
  /** There is work for a worker. */
  readonly wake: (tenantId: TenantId) => void;
}
