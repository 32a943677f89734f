/** The decision tables of the product and the figures beside them: data of config/tax. */

import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import content from '../../../config/tax/classification.json' with { type: 'json' };
import entityCrs from '../../../config/tax/entity-crs.json' with { type: 'json' };
import entityFatca from '../../../config/tax/entity-fatca.json' with { type: 'json' };
import individualCrs from '../../../config/tax/individual-crs.json' with { type: 'json' };
import individualFatca from '../../../config/tax/individual-fatca.json' with { type: 'json' };
import { checkTable, type DecisionTable } from './decisionTable.ts';

/** What still comes, where an outcome is not the last word. */
export type Awaited = 'cure' | 'documents' | 'form';

/** What a rule of FATCA decides. */
export interface FatcaOutcome {
  readonly status: string;
  /** Code of the account holder in a report. */
  readonly reports?: string;
  /** Code of the pool in a report. */
  readonly pool?: string;
  readonly awaits?: Awaited;
}

/** What a rule of CRS decides. */
export interface CrsOutcome {
  readonly status: string;
  /** What the jurisdictions of an individual are taken from. */
  readonly by?: 'address' | 'indicia' | 'self_certification';
  /** Code of the entity in a report. */
  readonly holder?: string;
  /** Whether controlling persons are reported. */
  readonly persons?: boolean;
  readonly awaits?: Awaited;
}

const read = <Outcome>(table: object): DecisionTable<Outcome> =>
  checkTable(table as DecisionTable<Outcome>);

export const TABLES = {
  entityCrs: read<CrsOutcome>(entityCrs),
  entityFatca: read<FatcaOutcome>(entityFatca),
  individualCrs: read<CrsOutcome>(individualCrs),
  individualFatca: read<FatcaOutcome>(individualFatca),
} as const;

/** Floors in US dollars, days of a cure, and what cures which indicium: all groups, one of each. */
export const FIGURES = {
  cureDays: content.cure_days,
  cures: content.cures as Readonly<Record<string, readonly (readonly string[])[]>>,
  floors: content.floors_usd,
  territories: content.us_territories as readonly string[],
} as const;

const VERSION_CHARS = 16;

/** Names the tables and figures by what they say. */
export const TABLE_VERSION = sha256Hex(
  `tax-tables-v1\0${canonicalJson({ content, tables: TABLES } as never)}`,
).slice(0, VERSION_CHARS);
