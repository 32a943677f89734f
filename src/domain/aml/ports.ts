/** What the slice needs of others. */
import type { TenantId } from '#domain/kernel';
import type { Subject } from './subject.ts';

/** Which of a tenant's stored cases; what is absent does not narrow. */
export interface CohortFilter {
  readonly caseStatus?: string;
  /** Any of them; never empty. */
  readonly caseRiskTiers?: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly countryResidence?: string;
}

/** The tenant's customers as identity verification keeps them. */
export interface StoredCases {
  /**
   * By external_id in code-unit order, each once, at most `limit` (1..1000); pass the last one seen
   * for the next page. No cases is an empty page.
   */
  listSubjects(page: {
    readonly tenantId: TenantId;
    readonly filter: CohortFilter;
    readonly limit: number;
    readonly afterExternalId?: string;
  }): Promise<readonly Subject[]>;
}
