/** Accounts that name a classification instead of what they are: its result goes into them. */
import { DomainError, type TenantId } from '#core/kernel';
import type { AccountPerson, CrsStanding, FatcaStanding, ReportedAccount } from './account.ts';
import { readClassificationContent } from './classificationContent.ts';
import type { ClassificationResult } from './classify.ts';
import { findClassification } from './classifySubject.ts';
import type { TaxReadPorts } from './ports.ts';

/** An account as it goes into its book, or that nobody was classified under its id. */
export type Classed = { readonly account: ReportedAccount } | { readonly isUnknown: true };

/** One for some hundreds of accounts: a holder of several of them is looked up once. */
export class ClassifiedAccounts {
  readonly #ports: TaxReadPorts;
  readonly #tenantId: TenantId;
  readonly #results = new Map<string, Promise<ClassificationResult | undefined>>();

  constructor(ports: TaxReadPorts, tenantId: TenantId) {
    this.#ports = ports;
    this.#tenantId = tenantId;
  }

  /** Rejects with `state-altered` or `blob-damaged`. What an account states itself stays. */
  async of(account: ReportedAccount): Promise<Classed> {
    const { classification_id: id, crs, fatca } = account;
    if (id === undefined) return { account };
    const result = await this.#resultOf(id);
    if (result === undefined) return { isUnknown: true };
    const { controlling_persons: persons } = account;
    return {
      account: {
        ...account,
        ...(persons !== undefined && { controlling_persons: reportedOf(persons, result) }),
        crs: crs ?? crsOf(result),
        fatca: fatca ?? fatcaOf(result),
        ...(result.crs.undocumented && { undocumented: true }),
      },
    };
  }

  #resultOf(id: string): Promise<ClassificationResult | undefined> {
    const known = this.#results.get(id) ?? this.#read(id);
    this.#results.set(id, known);
    return known;
  }

  async #read(classificationId: string): Promise<ClassificationResult | undefined> {
    try {
      const place = { classificationId, tenantId: this.#tenantId };
      const record = await findClassification(this.#ports, place);
      return (await readClassificationContent(this.#ports, record)).result;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'classification-unknown') return undefined;
      throw error;
    }
  }
}

function fatcaOf({ fatca }: ClassificationResult): FatcaStanding {
  const { holder_type: holder, pool_type: pool, reportable } = fatca;
  return {
    reportable,
    ...(holder !== null && { holder_type: holder as NonNullable<FatcaStanding['holder_type']> }),
    ...(pool !== null && { pool_type: pool as NonNullable<FatcaStanding['pool_type']> }),
  };
}

function crsOf({ crs }: ClassificationResult): CrsStanding {
  const { holder_type: holder, reportable_jurisdictions: where } = crs;
  return {
    reportable_jurisdictions: where,
    ...(holder !== null && { holder_type: holder as NonNullable<CrsStanding['holder_type']> }),
  };
}

/** Persons that the result does not report are left out; one without a reference is kept. */
function reportedOf(
  persons: readonly AccountPerson[],
  { crs, fatca }: ClassificationResult,
): readonly AccountPerson[] {
  const reported = new Set([...crs.persons, ...fatca.owners]);
  return persons.filter(({ person_ref: ref }) => ref === undefined || reported.has(ref));
}
