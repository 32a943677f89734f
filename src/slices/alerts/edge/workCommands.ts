/**
 * `alert assign`, `review`, `escalate`, `close`, `decide`: work on alerts at the command line. The
 * administrator acts for whomever one is assigned to, and is no registered person: what two persons
 * have to agree on is left to them.
 */
import type { Actor } from '#core/audit';
import type { TenantId } from '#core/kernel';
import {
  type Alert,
  assignAlert,
  decideAlert,
  decideHit,
  escalateAlert,
  HIT_DECISIONS,
  hitState,
  REASON_CODES,
  releaseAlert,
  reviewAlert,
} from '#slices/alerts';
import { type CommandOption, EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { type AlertParts, alertPartsOf } from './parts.ts';

export const ALERT = [{ name: 'ALERT', help: 'an id, of `alert list`' }] as const;
const COMMENT: CommandOption = { name: 'comment', value: 'TEXT', required: true, help: 'why' };
const DECISION: readonly CommandOption[] = [
  { name: 'as', value: 'DECISION', required: true, help: HIT_DECISIONS.join(' or ') },
  { name: 'reason', value: 'CODE', help: `of a false positive: ${REASON_CODES.join(', ')}` },
  { ...COMMENT, help: 'why; of a false positive 20 characters or more' },
];
const EXAMPLE = '--tenant 0190… 5f9d0e4b-93d1-8c1e-9a55-0a2f4de2c1aa';

export const workCommands: readonly SliceCommand[] = [
  command({
    words: 'alert assign',
    summary: 'Give an alert to a person, or free it',
    options: [
      { name: 'to', value: 'PERSON', help: 'the id of a registered person who works on alerts' },
      { name: 'free', help: 'nobody works on it any more' },
    ],
    example: `alert assign --to 0191… ${EXAMPLE}`,
    work(parts, ask, given) {
      const to = given.optional('to');
      if (given.isSet('free') === (to !== undefined)) {
        throw new UsageError('expected one of --to and --free');
      }
      return to === undefined ? releaseAlert(parts, ask) : assignAlert(parts, { ...ask, to });
    },
  }),
  command({
    words: 'alert review',
    summary: 'Begin to look at an alert that is assigned',
    options: [],
    example: `alert review ${EXAMPLE}`,
    work: (parts, ask) => reviewAlert(parts, ask),
  }),
  command({
    words: 'alert escalate',
    summary: 'Hand an alert up that somebody looks at',
    options: [COMMENT],
    example: `alert escalate --comment "Same date of birth" ${EXAMPLE}`,
    work: (parts, ask, given) => escalateAlert(parts, { ...ask, comment: given.value('comment') }),
  }),
  command({
    words: 'alert close',
    summary: 'Close an alert with all hits that nobody decided',
    options: DECISION,
    example: `alert close --as false_positive --reason name_only --comment "Only …" ${EXAMPLE}`,
    work: (parts, ask, given) => {
      const { notes: comment, ...said } = decisionOf(given);
      return decideAlert(parts, { ...ask, ...said, comment });
    },
  }),
  {
    words: 'alert decide',
    summary: 'Decide one hit of a screening; the last one closes its alert',
    options: [
      TENANT,
      { name: 'hit', value: 'FTM_ID', required: true, help: 'the listed entry' },
      ...DECISION,
    ],
    positionals: [{ name: 'SCREENING', help: 'the id of a screening: `of` in `alert show`' }],
    example:
      'alert decide --hit ofac-36 --as false_positive --reason dob_differs ' +
      '--comment "Born ten years later" --tenant 0190… 019a…',
    async run({ actor, open, output }, given) {
      const [screeningId = ''] = given.positionals;
      const ftmId = given.value('hit');
      const alert = await decideHit(alertPartsOf(await open()), {
        ...decisionOf(given),
        ftmId,
        principal: { actor, kind: 'cli' },
        screeningId,
        tenantId: given.value('tenant') as TenantId,
      });
      const hit = hitState(alert, ftmId).status;
      output.result(
        { ...told(alert), ftm_id: ftmId, hit_status: hit },
        `hit ${ftmId}: ${hit}\nalert ${alert.alertId}: ${alert.status}`,
      );
      return EXIT.done;
    },
  },
];

interface Ask {
  readonly alertId: string;
  readonly tenantId: TenantId;
  readonly principal: { readonly kind: 'cli'; readonly actor: Actor };
}

/** A command that changes one alert and shows what it became. */
function command(
  of: Pick<SliceCommand, 'example' | 'summary' | 'words'> & {
    readonly options: readonly CommandOption[];
    readonly work: (parts: AlertParts, ask: Ask, given: Given) => Promise<Alert>;
  },
): SliceCommand {
  const { example, options, summary, words, work } = of;
  return {
    words,
    summary,
    options: [TENANT, ...options],
    positionals: ALERT,
    example,
    async run({ actor, open, output }, given) {
      const [alertId = ''] = given.positionals;
      const tenantId = given.value('tenant') as TenantId;
      const ask = { alertId, principal: { actor, kind: 'cli' as const }, tenantId };
      const alert = await work(alertPartsOf(await open()), ask, given);
      output.result(told(alert), `alert ${alert.alertId}: ${alert.status}`);
      return EXIT.done;
    },
  };
}

const told = (alert: Alert) => ({
  alert_id: alert.alertId,
  assignee: alert.assignee ?? null,
  revision: alert.version,
  status: alert.status,
});

function decisionOf(given: Given) {
  const reasonCode = readWord('reason', REASON_CODES, given.optional('reason'));
  return {
    decision: readWord('as', HIT_DECISIONS, given.value('as')) ?? 'false_positive',
    notes: given.value('comment'),
    ...(reasonCode !== undefined && { reasonCode }),
  };
}

/** One of these words; undefined where none is given. Throws UsageError. */
export function readWord<Word extends string>(
  name: string,
  words: readonly Word[],
  text: string | undefined,
): Word | undefined {
  const word = words.find((one) => one === text);
  if (word !== undefined || text === undefined) return word;
  throw new UsageError(`--${name}: expected ${words.join(', ')}`);
}
