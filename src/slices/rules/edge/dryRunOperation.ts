/** A version upon transactions of the body: what it says of each, and nothing is kept. */
import { DomainError } from '#core/kernel';
import { monitoringSettings, ratesInForce, readMessage } from '#slices/monitoring';
import { bodyViolations, dryRun, findRule } from '#slices/rules';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { CHANGING, placeOf, type RuleRouteOptions, VERSION } from './routeOptions.ts';
import { type DryRun, DryRunBody, DryRunResults } from './schemas.ts';

const BODY_BYTES_MAX = 1024 * 1024;

export const dryRunOperation = (options: RuleRouteOptions, process: GatewayProcess): Operation => ({
  ...CHANGING,
  id: 'dryRunRule',
  method: 'POST',
  path: `${VERSION}/dry-run`,
  bodyBytesMax: BODY_BYTES_MAX,
  // Nothing is kept under the key: it may run again, and writes nothing.
  idempotency: 'required',
  problems: ['rule-unknown', 'body-invalid'],
  summary: 'What a version says of transactions that you send',
  description:
    'They are evaluated in memory, by themselves: without the stored history, without facts of ' +
    'customers, at the rates in force. Nothing is stored and nobody is alerted.',
  body: DryRunBody,
  example: {
    transactions: [
      {
        account_id: 'ACC-1001',
        amount: '9500.00',
        channel: 'cash',
        currency: 'EUR',
        direction: 'credit',
        occurred_at: '2026-01-31T06:00:00Z',
        tx_id: 'TX-1',
      },
    ],
  },
  responses: { 200: { description: 'What the rule says of each', schema: DryRunResults } },
  async handle(context) {
    const { tenantId } = context;
    const ports = options.ports();
    const record = await findRule(ports, placeOf(context));
    const settings = (await process.tenants.settings(tenantId)).of(monitoringSettings);
    const { transactions } = context.body as DryRun;
    const bytes = Buffer.from(JSON.stringify({ transactions }));
    const read = readMessage('json_service', bytes, settings);
    if (read.refusals.length > 0) {
      const violations = bodyViolations(read.refusals);
      throw new DomainError('body-invalid', { violations });
    }
    const data = dryRun({
      baseCurrency: settings.baseCurrency,
      rates: await ports.rates.of({ tenantId, version: await ratesInForce(ports, tenantId) }),
      rule: record.content,
      transactions: read.transactions.map(({ transaction }) => transaction),
      version: record.ruleVersion,
      zone: settings.zone,
    });
    return {
      body: { data, rule_id: record.ruleId, version: record.ruleVersion },
      status: 200,
    };
  },
});
