/** An alert as it is made and named: its id, its severity and the digest that its entries have. */
import { DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { MatchType } from '#slices/batches';
import type { Decision } from '#slices/screening';
import type { AlertPorts } from './ports.ts';
import {
  type Alert,
  type AlertCause,
  type AlertStatus,
  alertTable,
  type Severity,
} from './tables.ts';

/** Severity by the most severe typology of an alert's hits. */
export const SEVERITY_OF: Readonly<Record<string, Severity>> = {
  MATCH_DIRECT_SANCTIONS: 'Critical',
  MATCH_PEP: 'High',
  MATCH_RCA_DIRECT: 'High',
  MATCH_RCA_INDIRECT: 'Medium',
  POTENTIAL_ADVERSE_MEDIA: 'Medium',
};

/** The rule of monitoring that a party of a payment is on a list. */
export const LISTED_PARTY_RULE = 'TM-SAN-01';
/** That a listed party is named in a payment's free text: it need not be a party of it. */
export const LISTED_TEXT_RULE = 'TM-SAN-02';
/** Rules of payments that screening decides. */
export const SCREENED_RULES: readonly string[] = [LISTED_PARTY_RULE, LISTED_TEXT_RULE];

/** Severity of an alert as it was raised: its rule's, else by the typology. */
export function raisedSeverity({
  rule,
  ruleId,
  typology,
}: {
  readonly rule?: { readonly severity: Severity };
  readonly ruleId?: string;
  readonly typology: string;
}): Severity {
  const severity = rule?.severity ?? SEVERITY_OF[typology] ?? 'Low';
  return ruleId === LISTED_TEXT_RULE && severity === 'Critical' ? 'High' : severity;
}

/** The typology of a hit of a batch by its kind, the most severe first. */
export const TYPOLOGY_OF: Readonly<Record<MatchType, Decision>> = {
  sanction: 'MATCH_DIRECT_SANCTIONS',
  pep: 'MATCH_PEP',
  rca: 'MATCH_RCA_DIRECT',
  adverse_media: 'POTENTIAL_ADVERSE_MEDIA',
};

/** Where an alert is, for a caller of this tenant. */
export interface AlertPlace {
  readonly tenantId: TenantId;
  readonly alertId: string;
}

/** Throws `alert-unknown`, for another tenant's as for one that does not exist. */
export async function findAlert(
  { tables }: Pick<AlertPorts, 'tables'>,
  { alertId, tenantId }: AlertPlace,
): Promise<Alert> {
  const found = await tables.find(alertTable, { alertId, tenantId });
  if (found === undefined) throw new DomainError('alert-unknown');
  return found;
}

/** Whether nobody has to work on it any more. */
export const isClosed = ({ status }: { readonly status: AlertStatus }): boolean =>
  status === 'closed_true_positive' || status === 'closed_false_positive';

const UUID_CHARS = 32;
const VARIANTS = '89ab';

/**
 * The id of a cause's alert: a UUID (version 8, RFC 9562) of the first 128 bits of SHA-256 over
 * `alert-v1`, tenant and cause. The same cause has the same id, so that it raises one alert however
 * often it is heard of.
 */
export function alertIdOf(tenantId: TenantId, cause: AlertCause): string {
  return uuidOfText(`alert-v1\0${tenantId}\0${canonicalJson(cause)}`);
}

/** A UUID (version 8) of the first 128 bits of SHA-256 over a text. */
export function uuidOfText(text: string): string {
  const hex = sha256Hex(text).slice(0, UUID_CHARS);
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) % VARIANTS.length];
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)];
  return `${a}-${b}-8${c}-${variant}${d}-${hex.slice(20)}`;
}

/** Id of whom an alert is about, by which alerts are listed. */
export function subjectIdOf(cause: AlertCause): string {
  if (cause.kind === 'screening') return cause.screeningId;
  if (cause.kind === 'exclusion_ended') return cause.exclusionId;
  if (cause.kind === 'rule') return cause.subjectKey;
  if (cause.kind === 'rule_storm') return cause.ruleId;
  if (cause.kind === 'rules_not_evaluated') return cause.reason;
  return cause.kind === 'batch_subject' ? cause.batchSubjectId : cause.subjectId;
}

/** SHA-256 hex of a revision, as its entry in the chain names it. */
export const alertDigest = (alert: Alert): string =>
  sha256Hex(`alert-record-v1\0${canonicalJson(alert)}`);

/** As entries name it. */
export const targetOf = ({ alertId }: Pick<Alert, 'alertId'>): string => `alert:${alertId}`;
