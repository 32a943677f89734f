/**
 * `screening list`, `show`, `replay`, `export` and the others: the register at the command line.
 * What does it is loaded when it is called, so that the help loads no schemas.
 */
import type { TenantId } from '#core/kernel';
import { fillAnew } from '#slices/sanctions';
import { CHANNELS, DECISIONS } from '#slices/screening';
import { EXIT } from '../../../cli/command.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';

const SCREENING = [{ name: 'SCREENING', help: 'an id, of `screening list`' }] as const;
const EXAMPLE = '--tenant 0190… 019a0b2c-7d4e-7000-8000-000000000000';

export const commands: readonly SliceCommand[] = [
  {
    words: 'screening list',
    summary: 'Show the latest screenings, each checked against the chain',
    options: [
      TENANT,
      { name: 'from', value: 'INSTANT', help: 'screened then or later: 2026-01-31T06:00:00Z' },
      { name: 'to', value: 'INSTANT', help: 'screened before then' },
      { name: 'decision', value: 'A,B', help: DECISIONS.join(', ') },
      { name: 'candidate', value: 'TEXT', help: 'a listed party: its id, or how its name begins' },
      { name: 'subject', value: 'REF', help: 'your own id of the customer' },
      { name: 'channel', value: 'CHANNEL', help: CHANNELS.join(', ') },
      { name: 'limit', value: 'N', help: '1 to 1000; 50 where nothing is said' },
    ],
    example: 'screening list --tenant 0190… --decision MATCH_PEP',
    async run(context, given) {
      return (await import('./screeningCommands.ts')).runList(context, given);
    },
  },
  {
    words: 'screening show',
    summary: 'Show one screening with its hits, as its event has it',
    options: [TENANT],
    positionals: SCREENING,
    example: `screening show ${EXAMPLE}`,
    async run(context, given) {
      return (await import('./screeningCommands.ts')).runShow(context, given);
    },
  },
  {
    words: 'screening replay',
    summary: 'Repeat a screening from what its event pins; exit 1 where something differs',
    options: [TENANT],
    positionals: SCREENING,
    example: `screening replay ${EXAMPLE}`,
    async run(context, given) {
      return (await import('./screeningCommands.ts')).runReplay(context, given);
    },
  },
  {
    words: 'screening export',
    summary: 'Write the signed report of a screening as a PDF; beside it its signature as FILE.sig',
    options: [
      TENANT,
      { name: 'out', value: 'FILE', required: true, help: 'replaced if it is there' },
      { name: 'lang', value: 'LANG', help: 'fr, ar or en; en where nothing is said' },
    ],
    positionals: SCREENING,
    example: `screening export ${EXAMPLE} --lang fr --out report.pdf`,
    async run(context, given) {
      return (await import('./reportCommands.ts')).runExport(context, given);
    },
  },
  {
    words: 'screening verify-report',
    summary: 'Check the report of a screening, offline: exit 0, or 1 and why',
    options: [
      { name: 'keys', value: 'FILE', required: true, help: 'from `keys public`' },
      { name: 'signature', value: 'FILE', help: 'of its pages; FILE.sig where it is there' },
    ],
    positionals: [{ name: 'FILE', help: 'the PDF' }],
    example: 'screening verify-report report.pdf --keys keys.json',
    async run(context, given) {
      return (await import('./reportCommands.ts')).runVerify(context, given);
    },
  },
  {
    words: 'screening recount',
    summary: 'Have the figures of screenings counted anew from the chain, by a worker',
    options: [TENANT],
    example: 'screening recount --tenant 0190…',
    async run({ open, output }, given) {
      const { holder, storage } = await open();
      const tenantId = given.value('tenant') as TenantId;
      const isBegun = await fillAnew({ holder, tables: storage.tables }, tenantId);
      const text = isBegun ? 'they are counted anew' : 'they are being counted just now: try again';
      output.result({ begun: isBegun }, text);
      return isBegun ? EXIT.done : EXIT.refused;
    },
  },
];
