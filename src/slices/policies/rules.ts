/** Rules between the members of a policy, which no schema says, and what the tenant may not set. */
import { DomainError, type TenantId, type Violation } from '#core/kernel';
import { SOURCE_CATALOGUE, SOURCE_IDS, validateSchedule } from '#slices/ingestion';
import { disabledSources, escapedName, type PolicyContent } from './content.ts';
import { SWITCHED_OFF_CHARS_MIN } from './limits.ts';
import type { PolicyDeskPorts } from './ports.ts';

/** Sums of decimal fractions are not exact. */
const SUM_TOLERANCE = 1e-9;

/** A policy as somebody wants it. */
export interface WantedPolicy {
  readonly content: PolicyContent;
  readonly justification: string;
}

/** Throws `policy-invalid` with every violation. `before` is what is in force. */
export function refuseInvalid(wanted: WantedPolicy, before: PolicyContent): void {
  const { content } = wanted;
  const violations = [
    ...outOfRange(content),
    ...wrongSum(content),
    ...notMonotone(content),
    ...unknownSources(content),
    ...wrongCadences(content, before),
    ...unjustified(wanted, before),
  ];
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer.slice(1)}: ${one.detail}`).join('; ');
  throw new DomainError('policy-invalid', { detail, violations });
}

/** Whether a content keeps the rules that need nothing but itself. */
export const isConsistent = (content: PolicyContent): boolean =>
  [outOfRange, wrongSum, notMonotone, unknownSources].every((rule) => rule(content).length === 0);

function outOfRange({ thresholds }: PolicyContent): Violation[] {
  return Object.entries(thresholds)
    .filter(([, threshold]) => !(threshold >= 0 && threshold <= 1))
    .map(([name]) => ({
      code: 'threshold-range',
      detail: 'expected a number 0..1',
      pointer: `/content/thresholds/${name}`,
    }));
}

function wrongSum({ weights }: PolicyContent): Violation[] {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) <= SUM_TOLERANCE) return [];
  const detail = 'expected five weights that sum to 1.0';
  return [{ code: 'weights-sum', detail, pointer: '/content/weights' }];
}

function notMonotone({ thresholds: { direct, pep, rca_1, rca_2 } }: PolicyContent): Violation[] {
  if (rca_2 <= rca_1 && rca_1 <= pep && pep <= direct) return [];
  const detail = 'expected rca_2 <= rca_1 <= pep <= direct';
  return [{ code: 'not-monotone', detail, pointer: '/content/thresholds' }];
}

function unknownSources({ sources }: PolicyContent): Violation[] {
  return Object.keys(sources)
    .filter((source) => !SOURCE_IDS.includes(source))
    .map((source) => ({
      code: 'source-unknown',
      detail: `expected one of ${SOURCE_IDS.join(', ')}`,
      pointer: `/content/sources/${escapedName(source)}`,
    }));
}

/** Only those that are new: the analysis of a schedule takes its time. */
function wrongCadences({ sources }: PolicyContent, before: PolicyContent): Violation[] {
  return Object.entries(sources).flatMap(([sourceId, { cadence_override: cadence }]) => {
    if (cadence === undefined || !SOURCE_IDS.includes(sourceId)) return [];
    if (before.sources[sourceId]?.cadence_override === cadence) return [];
    return validateSchedule({ cronFull: cadence, sourceId }).map(({ code, detail }) => ({
      code,
      detail,
      pointer: `/content/sources/${sourceId}/cadence_override`,
    }));
  });
}

/** Lists that states and unions publish bind whoever screens; turning one off is explained. */
const isBinding = (source: string): boolean =>
  source !== 'DEMO' && SOURCE_CATALOGUE[source]?.kind !== 'COMMERCIAL';

function unjustified({ content, justification }: WantedPolicy, before: PolicyContent): Violation[] {
  const offBefore = disabledSources(before);
  const turnedOff = disabledSources(content).filter(
    (source) => isBinding(source) && !offBefore.includes(source),
  );
  if (turnedOff.length === 0 || justification.trim().length >= SWITCHED_OFF_CHARS_MIN) return [];
  const detail =
    `expected ${SWITCHED_OFF_CHARS_MIN} characters or more, since sanctions of ` +
    `${turnedOff.join(', ')} would not be screened any more`;
  return [{ code: 'justification-short', detail, pointer: '/justification' }];
}

/** Throws `cadence-not-yours` for fires of lists that the tenant does not look after. */
export async function refuseCadences(
  { mayChangeLists }: Pick<PolicyDeskPorts, 'mayChangeLists'>,
  tenantId: TenantId,
  content: PolicyContent,
): Promise<void> {
  const named = Object.entries(content.sources)
    .filter(([, { cadence_override }]) => cadence_override !== undefined)
    .map(([source]) => source);
  if (named.length === 0 || (await mayChangeLists(tenantId))) return;
  throw new DomainError('cadence-not-yours', {
    violations: named.map((source) => ({
      code: 'cadence-not-yours',
      detail: 'expected none',
      pointer: `/content/sources/${source}/cadence_override`,
    })),
  });
}
