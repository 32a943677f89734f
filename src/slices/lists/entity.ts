/** List format v1 (interface.md 2.12): one entity of a normalised list. Wire names are kept. */
export type Category = 'SAN' | 'PEP' | 'RCA' | 'SI' | 'DI';
export type AssociationType = 'FAMILY' | 'BUSINESS' | 'ADDRESS' | 'EMPLOYER' | 'OWNER';

export interface ListEntity {
  /** Canonical id, unique within the source: `ofac-36`, `demo-p-0001`. */
  readonly ftm_id: string;
  readonly schema:
    | 'Person'
    | 'Company'
    | 'Vessel'
    | 'Aircraft'
    | 'Organization'
    | 'LegalEntity'
    | 'Position';
  readonly primary_name: string;
  readonly primary_name_folded: string;
  readonly akas: readonly string[];
  /** YYYY, YYYY-MM, YYYY-MM-DD, or a range `YYYY-MM-DD/YYYY-MM-DD` of such. */
  readonly dates_of_birth: readonly string[];
  readonly places_of_birth: readonly string[];
  /** ISO 3166 alpha-2 where the table knows it. */
  readonly citizenships: readonly string[];
  readonly countries: readonly string[];
  readonly identifiers: Readonly<Record<string, string>>;
  readonly categories: readonly Category[];
  readonly source_lists_hits: readonly {
    readonly list: string;
    readonly version: string;
    readonly added_at: string;
  }[];
  readonly addresses: readonly string[];
  readonly associations: readonly Association[];
  readonly flattened_associated_sanctioned: readonly RcaPath[];
  /** RFC 3339 or YYYY-MM-DD. */
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  /**
   * Programmes or regimes under which the publisher lists it, sorted; absent: it names none. A
   * former release wrote them elsewhere (programmes.ts).
   */
  readonly programmes?: readonly string[];
  /** What the publisher says and the format of 2.12 has no field for. */
  readonly properties?: Readonly<Record<string, readonly string[]>>;
}

export interface Association {
  readonly target_ftm_id: string;
  readonly type: AssociationType;
  readonly label: string;
  /** 1.0 direct, 0.5 reported, 0.3 weak. */
  readonly strength: number;
}

export interface RcaPath {
  readonly target_ftm_id: string;
  readonly depth: 1 | 2;
  readonly path_types: readonly AssociationType[];
  readonly path_decay: number;
}
