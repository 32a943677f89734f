/** Noun `rule` of the command line: `list`, `test`, `backtest`, `publish`, on the store itself. */
import { tellRefusals } from '#core/audit';
import { DomainError, everyRecord, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  allRules,
  checkBacktests,
  checkEvaluated,
  checkResults,
  checkRule,
  checkRules,
  checkSuppressions,
  dryRun,
  findBacktest,
  publishRule,
  REASON_CHARS_MAX,
  type RuleRecord,
  requestBacktest,
  ruleAlertTable,
  rulePositionTable,
  storedDigest,
} from '#slices/rules';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { CliProcess, SliceCheck, SliceCommand } from '../../processes.ts';
import { rulePartsOf } from './parts.ts';
import { presentBacktest, presentRule } from './presentation.ts';
import { signCommand } from './signCommand.ts';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 90;
const WAIT_MS = 600_000;
const LOOK_EVERY_MS = 500;
const RULE = [
  { name: 'RULE', help: 'an id, of `rule list`' },
  { name: 'VERSION', help: 'its version' },
] as const;

/** Whether rules, positions and alerts of rules are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [{ isOfState: true, look: checkState, name: 'rules' }];

async function checkState(process: CliProcess): Promise<string> {
  const { clock, identity, storage } = process;
  const parts = rulePartsOf(process);
  const refusals: string[] = [];
  let count = 0;
  for (const { id } of await identity.listTenants()) {
    const found = await checkRules(parts, id);
    const alerts: { readonly key: string; readonly digest: string }[] = [];
    const ask = { equal: { tenantId: id }, index: 'key' };
    for await (const one of everyRecord(storage.tables, ruleAlertTable, ask)) {
      alerts.push({ digest: storedDigest(one), key: one.alertId });
    }
    const position = await storage.tables.find(rulePositionTable, { shard: 0, tenantId: id });
    const odd = await checkEvaluated(parts, id, { alerts, position });
    const results = await checkResults({ ...storage, keyRing: process.keyRing }, id, clock.now());
    const others = [await checkSuppressions(parts, id), await checkBacktests(parts, id)];
    count += others.reduce((sum, one) => sum + one.count, found.count);
    count += alerts.length + results.count;
    const all = [found, results, ...others].flatMap((one) => one.refusals).concat(odd);
    refusals.push(...all.map((refusal) => `rules of ${id}: ${refusal}`));
  }
  return tellRefusals(
    refusals,
    `${count} rules, suppressions, alerts and results are what was signed`,
  );
}

export const commands: readonly SliceCommand[] = [
  {
    words: 'rule list',
    summary: 'Show the rules of a tenant, those of the default pack among them',
    options: [TENANT, { name: 'rule', value: 'ID', help: 'this one alone, with its content' }],
    example: 'rule list --tenant 0190… --rule TM-CASH-01 --json',
    async run({ clock, open, output }, given) {
      const { tables } = (await open()).storage;
      const wanted = given.optional('rule');
      const found = (await allRules({ tables }, given.value('tenant') as TenantId)).filter(
        ({ ruleId }) => wanted === undefined || ruleId === wanted,
      );
      if (found.length === 0) throw new DomainError('rule-unknown');
      const now = clock.now();
      output.result(
        { rules: found.map((record) => presentRule(record, now)) },
        table(['RULE', 'VERSION', 'STATUS', 'SEVERITY', 'SIGNED', 'NAME'], found.map(lineOf)),
      );
      return EXIT.done;
    },
  },
  {
    words: 'rule test',
    summary:
      'Check a rule of a file, and run it over transactions of another; needs no installation',
    options: [
      { name: 'transactions', value: 'FILE', help: 'json_service: what the rule says of each' },
      { name: 'base', value: 'CURRENCY', help: 'of its amounts (default: EUR)' },
      { name: 'zone', value: 'ZONE', help: 'of days and months (default: UTC)' },
    ],
    positionals: [{ name: 'FILE', help: 'the rule as JSON' }],
    example: 'rule test rule.json --transactions payments.json',
    run: async ({ output }, given) => {
      const { readTransactionFile } = await import('./documents.ts');
      const { readJsonFile } = await import('../../../cli/signatures.ts');
      const checked = checkRule(await readJsonFile(given.positionals[0] ?? ''));
      if ('violations' in checked) {
        const { violations } = checked;
        const lines = violations.map((one) => `${one.pointer}: ${one.detail}`).join('\n');
        output.result({ valid: false, violations }, lines);
        return EXIT.refused;
      }
      const file = given.optional('transactions');
      if (file === undefined) {
        output.result({ valid: true }, `${checked.rule.rule_id} is a rule`);
        return EXIT.done;
      }
      const base = given.optional('base') ?? 'EUR';
      const zone = given.optional('zone') ?? 'UTC';
      const results = dryRun({
        baseCurrency: base,
        rates: undefined,
        rule: checked.rule,
        transactions: await readTransactionFile(file, zone),
        version: 1,
        zone,
      });
      output.result(
        { results, valid: true },
        table(
          ['TRANSACTION', 'IN SCOPE', 'MET', 'WHY'],
          results.map((one) => [
            one.tx_id,
            one.in_scope ? 'yes' : 'no',
            one.met === null ? 'unknown' : one.met ? 'yes' : 'no',
            one.met === true ? (one.explanation?.text.en ?? '') : one.not_evaluated.join(','),
          ]),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'rule backtest',
    summary: 'Evaluate a version upon the stored history, and wait for the report',
    options: [TENANT, { name: 'days', value: 'N', help: `up to now (default: ${DAYS_DEFAULT})` }],
    positionals: RULE,
    example: 'rule backtest --tenant 0190… TM-CASH-01 1 --days 30',
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const parts = rulePartsOf(process);
      const tenantId = given.value('tenant') as TenantId;
      const to = clock.now();
      const from = (to - readDays(given) * DAY_MS) as EpochMs;
      const ask = { principal: { actor, kind: 'cli' }, tenantId, ...placeOf(given) } as const;
      const { backtestId } = await requestBacktest(parts, ask, { from, to });
      await process.wake('rules', tenantId);
      const until = clock.monotonicMs() + WAIT_MS;
      for (;;) {
        const found = await findBacktest(parts, { backtestId, tenantId });
        if (found.status !== 'queued' || clock.monotonicMs() > until) {
          output.result(presentBacktest(found), JSON.stringify(presentBacktest(found), null, 2));
          return found.status === 'completed' ? EXIT.done : EXIT.refused;
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  },
  signCommand,
  {
    words: 'rule publish',
    summary: 'Hand in what `rule sign` printed; the second signature puts the version in force',
    options: [
      TENANT,
      {
        name: 'signature',
        value: 'FILE',
        required: true,
        repeatable: true,
        help: 'one of compliance, one of DSI; both together or one by one',
      },
      { name: 'comment', value: 'TEXT', help: 'kept beside the signature' },
    ],
    positionals: RULE,
    example: 'rule publish --tenant 0190… TM-CASH-01 1 --signature ben.json --signature dora.json',
    async run({ actor, clock, open, output }, given) {
      const { readSignature } = await import('../../../cli/signatures.ts');
      const signatures = await Promise.all(given.all('signature').map(readSignature));
      if (signatures.length > 2) throw new UsageError('--signature: expected one or two');
      const comment = given.optional('comment');
      if (comment !== undefined && comment.length > REASON_CHARS_MAX) {
        throw new UsageError(`--comment: expected ${REASON_CHARS_MAX} characters at the most`);
      }
      const record = await publishRule(rulePartsOf(await open()), {
        ...placeOf(given),
        principal: { actor, kind: 'cli' },
        signatures,
        tenantId: given.value('tenant') as TenantId,
        ...(comment !== undefined && { comment }),
      });
      output.result(presentRule(record, clock.now()), lineOf(record).join('  '));
      return EXIT.done;
    },
  },
];

function placeOf(given: Given): { readonly ruleId: string; readonly ruleVersion: number } {
  const [ruleId = '', version = ''] = given.positionals;
  if (/^[1-9][0-9]{0,8}$/.test(version)) return { ruleId, ruleVersion: Number(version) };
  throw new UsageError(`expected the number of a version, got '${printable(version)}'`);
}

function readDays(given: Given): number {
  const text = given.optional('days') ?? String(DAYS_DEFAULT);
  if (/^[1-9][0-9]{0,2}$/.test(text)) return Number(text);
  throw new UsageError(`--days: expected 1 to 999, got '${printable(text)}'`);
}

const lineOf = (record: RuleRecord): string[] => [
  record.ruleId,
  String(record.ruleVersion),
  record.status,
  record.content.severity,
  record.publishedAt === undefined ? '-' : toTimestamp(record.publishedAt),
  record.content.name.en,
];
