/** What the three schemas name differently: namespaces, versions, and where members stand. */
import type { ReportRegime } from './account.ts';

/** The schemas that reports are written by. */
export const REPORT_SCHEMAS = ['fatca-2.0', 'crs-2.0', 'crs-3.0'] as const;
/** One of REPORT_SCHEMAS. */
export type ReportSchema = (typeof REPORT_SCHEMAS)[number];

/** One of them, as the writer reads it. */
export interface Dialect {
  readonly schema: ReportSchema;
  readonly regime: ReportRegime;
  readonly file: string;
  readonly version: string;
  readonly root: string;
  readonly body: string;
  readonly namespaces: Readonly<Record<string, string>>;
  /** Prefixes of the members of a message, of a party, of an address and of a DocSpec. */
  readonly of: Readonly<Record<'address' | 'doc' | 'main' | 'party' | 'spec', string>>;
}

const crs = (schema: 'crs-2.0' | 'crs-3.0', version: string): Dialect => ({
  body: 'CrsBody',
  file: `CrsXML_v${version}.xsd`,
  namespaces: {
    cfc: 'urn:oecd:ties:commontypesfatcacrs:v2',
    crs: `urn:oecd:ties:crs:v${version[0]}`,
    stf: 'urn:oecd:ties:crsstf:v5',
  },
  of: { address: 'cfc', doc: 'stf', main: 'crs', party: 'crs', spec: 'crs' },
  regime: 'CRS',
  root: 'CRS_OECD',
  schema,
  version,
});

export const DIALECTS: Readonly<Record<ReportSchema, Dialect>> = {
  'crs-2.0': crs('crs-2.0', '2.0'),
  'crs-3.0': crs('crs-3.0', '3.0'),
  'fatca-2.0': {
    body: 'FATCA',
    file: 'FatcaXML_v2.0.xsd',
    namespaces: { ftc: 'urn:oecd:ties:fatca:v2', sfa: 'urn:oecd:ties:stffatcatypes:v2' },
    of: { address: 'sfa', doc: 'ftc', main: 'ftc', party: 'sfa', spec: 'sfa' },
    regime: 'FATCA',
    root: 'FATCA_OECD',
    schema: 'fatca-2.0',
    version: '2.0',
  },
};

/** Messages that are made from this day on are of CRS 3.0 (exchanges from 2027 on). */
const CRS3_FROM = '2027-01-01';

/** The schema of a message that is made today. */
export const schemaFor = (regime: ReportRegime, today: string): ReportSchema => {
  if (regime === 'FATCA') return 'fatca-2.0';
  return today < CRS3_FROM ? 'crs-2.0' : 'crs-3.0';
};
