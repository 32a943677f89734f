/**
 * `transactions check` says what the ingest would make of a file, before it is sent. It uses the
 * service's own readers, and needs no installation, no configuration and no network. `doctor`
 * compares the log of transactions with the chain.
 */
import {
  checkFacts,
  checkLog,
  FORMATS,
  type Format,
  isZone,
  openLogOf,
  type ReadingContext,
  type Refusal,
  readTransactions,
} from '#slices/monitoring';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { demoCommand } from './demoCommand.ts';
import { formatOf, ingestCommand, lineOf } from './ingestCommand.ts';

/** Refusals and records that are shown; all are counted. */
const SHOWN_MAX = 100;
/** Refusals of a check that are told; more of them say the same. */
const TOLD_MAX = 10;

/** Whether the log of transactions is what its entries in the chain say. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'transactions',
    async look(process) {
      const { identity, keyRing, storage } = process;
      const { audit, tables } = storage;
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await identity.listTenants()) {
        const found = await checkLog(openLogOf(process), id);
        count += found.count;
        refusals.push(...found.refusals);
        const facts = await checkFacts({ audit, keyRing, tables }, id);
        refusals.push(...facts.refusals);
      }
      if (refusals.length === 0) return `${count} transactions are what was signed`;
      throw new Error(refusals.slice(0, TOLD_MAX).join('; '));
    },
  },
];

export const commands: readonly SliceCommand[] = [
  ingestCommand,
  demoCommand,
  {
    words: 'transactions check',
    summary: 'Say what the ingest would take of a file: exit 0, or 1 where any would be refused',
    positionals: [{ name: 'FILE', help: 'a message, a file of messages or a CSV' }],
    options: [
      { name: 'format', value: 'FORMAT', required: true, help: FORMATS.join(', ') },
      { name: 'zone', value: 'ZONE', help: 'zone of times without an offset; UTC without it' },
      { name: 'own-bic', value: 'BIC', repeatable: true, help: 'a BIC of the tenant' },
      { name: 'own-iban', value: 'IBAN', repeatable: true, help: 'beginning of its IBANs' },
      { name: 'show', help: `prints the first ${SHOWN_MAX} records, each a line of JSON` },
    ],
    example: 'transactions check payments.xml --format iso20022_pacs008 --own-bic DEUTDEFF',
    async run({ output }, given) {
      const [file = ''] = given.positionals;
      const context = contextOf({
        bics: given.all('own-bic'),
        ibans: given.all('own-iban'),
        zone: given.optional('zone') ?? 'UTC',
      });
      const found = await read(file, formatOf(given.value('format')), context);
      const { accepted, errors, records, rejected } = found;
      output.result(
        { accepted, errors, file, rejected, ...(given.isSet('show') && { records }) },
        [
          `${file}: ${accepted} transactions, ${rejected} refused`,
          ...errors.map(lineOf),
          ...(given.isSet('show') ? records.map((record) => JSON.stringify(record)) : []),
        ].join('\n'),
      );
      return rejected === 0 ? EXIT.done : EXIT.bad;
    },
  },
];

async function read(file: string, format: Format, context: ReadingContext) {
  const { chunks } = await openInput(file);
  const errors: Refusal[] = [];
  const records: object[] = [];
  let accepted = 0;
  let rejected = 0;
  for await (const { refusals, transactions } of readTransactions(format, chunks, context)) {
    accepted += transactions.length;
    rejected += new Set(refusals.map(({ index }) => index)).size;
    errors.push(...refusals.slice(0, SHOWN_MAX - errors.length));
    const shown = transactions.slice(0, SHOWN_MAX - records.length);
    records.push(...shown.map(({ transaction }) => transaction));
  }
  return { accepted, errors, records, rejected };
}

function contextOf(given: {
  readonly zone: string;
  readonly bics: readonly string[];
  readonly ibans: readonly string[];
}): ReadingContext {
  if (!isZone(given.zone)) throw new UsageError('--zone: expected a zone as Europe/Paris');
  return {
    ownBics: new Set(given.bics.map((bic) => bic.slice(0, 8).toUpperCase())),
    ownIbans: given.ibans,
    zone: given.zone,
  };
}
