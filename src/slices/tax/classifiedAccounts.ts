/** Accounts that name a classification instead of what they are: its result goes into them. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  type AccountPerson,
  type CrsStanding,
  type FatcaStanding,
  REPORT_REGIMES,
  type ReportedAccount,
} from './account.ts';
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
    const isOfResult = crs === undefined && fatca === undefined && persons !== undefined;
    return {
      account: {
        ...account,
        ...(isOfResult && { controlling_persons: reportedOf(persons, result) }),
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

/**
 * Each person with the regimes that the result reports them under; who is under none is left out,
 * and one without a reference is kept as stated.
 */
function reportedOf(
  persons: readonly AccountPerson[],
  { crs, fatca }: ClassificationResult,
): readonly AccountPerson[] {
  return persons.flatMap((person) => {
    const { person_ref: ref } = person;
    if (ref === undefined) return [person];
    const regimes = REPORT_REGIMES.filter((regime) =>
      (regime === 'CRS' ? crs.persons : fatca.owners).includes(ref),
    );
    return regimes.length === 0 ? [] : [{ ...person, regimes }];
  });
}
