/** `dsar plan`, `dsar erase`, `dsar vault`: erasures on the store itself. */
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  buildPlan,
  carryOutNow,
  openVault,
  type PrivacyRequest,
  privacyDeskOf,
} from '#slices/privacy';
import { EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { actingFor, PERSON, placeOf, REQUEST, TENANT, tell } from './commandParts.ts';
import { presentRequest, presentVault } from './presentation.ts';

export const erasureCommands: readonly SliceCommand[] = [
  {
    example: 'dsar plan --tenant 0190… 019a…',
    options: [TENANT],
    positionals: REQUEST,
    async run({ clock, open, output }, given) {
      const request = await buildPlan(privacyDeskOf(await open()), placeOf(given));
      output.result(presentRequest(request, clock.now()), planTable(request));
      return EXIT.done;
    },
    summary: 'Show what an erasure would come to, and make its plan anew',
    words: 'dsar plan',
  },
  {
    example: 'dsar erase --tenant 0190… 019a…',
    options: [TENANT],
    positionals: REQUEST,
    async run({ clock, open, output }, given) {
      const place = placeOf(given);
      const process = await open();
      const ports = privacyDeskOf(process);
      await carryOutNow(ports, process, place);
      return tell(output, await ports.signed.requireRequest(place), clock.now());
    },
    summary: 'Carry out an erasure that was approved, without waiting for a worker',
    words: 'dsar erase',
  },
  {
    example: 'dsar vault --person 0191… --reason "Order of 12 January" --tenant 0190… psn_…',
    options: [
      TENANT,
      { help: 'why, 10 characters or more', name: 'reason', required: true, value: 'TEXT' },
      PERSON,
    ],
    positionals: [{ help: 'stands for an erased person', name: 'PSEUDONYM' }],
    async run({ actor, open, output }, given) {
      const process = await open();
      const pseudonym = given.positionals[0] ?? '';
      const answer = await openVault(privacyDeskOf(process), {
        by: await actingFor(process, given, actor),
        pseudonym,
        reason: given.value('reason'),
        tenantId: given.value('tenant') as TenantId,
      });
      if (!answer.isOpen) {
        const asked = { asked_at: toTimestamp(answer.askedAt), pseudonym };
        output.result(asked, `${pseudonym}: asked; another person must look within a day`);
        return EXIT.done;
      }
      const shown = presentVault(pseudonym, answer);
      output.result(shown, JSON.stringify(shown, undefined, 2));
      return EXIT.done;
    },
    summary: 'See who stands behind a pseudonym; a second person must ask, too',
    words: 'dsar vault',
  },
];

function planTable({ plan }: PrivacyRequest): string {
  return table(
    ['STORE', 'ROWS', 'ACTION', 'UNTIL', 'WHY'],
    (plan?.rows ?? []).map(({ action, rows, store, until, why }) => [
      store,
      String(rows),
      action,
      until === undefined ? '' : toTimestamp(until),
      why,
    ]),
  );
}
