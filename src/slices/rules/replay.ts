/**
 * The log once more from its first number, by rules of one set and nothing that was kept: the
 * alerts of then, byte for byte, on whichever machine.
 */
import type { TenantId } from '#core/kernel';
import { alertIdOf } from '#slices/alerts';
import { exponentOf } from '#slices/monitoring';
import { planRules } from './compileRule.ts';
import type { EvaluatePorts } from './evaluateLog.ts';
import { EntryReader } from './readEntries.ts';
import type { RuleAlert } from './ruleAlert.ts';
import { causeOf } from './ruleAlertCause.ts';
import { RuleEngine } from './ruleEngine.ts';
import { ruleSetOf } from './ruleSet.ts';
import { subjectKeysOf } from './subjectKeys.ts';
import { rulePositionTable } from './tables.ts';

/** Evaluates a tenant's log again, in memory. */
export class RuleReplay {
  readonly #ports: EvaluatePorts;
  readonly #tenantId: TenantId;

  constructor(ports: EvaluatePorts, tenantId: TenantId) {
    this.#ports = ports;
    this.#tenantId = tenantId;
  }

  /** By the rules of now; alerts in the order of their ids. */
  async run(): Promise<readonly { readonly alertId: string; readonly alert: RuleAlert }[]> {
    const tenantId = this.#tenantId;
    const by = await this.#ports.settingsOf(tenantId);
    const { rules } = await ruleSetOf(this.#ports, tenantId, by);
    const { keyOf } = await subjectKeysOf(this.#ports.dataKeys, tenantId);
    const engine = new RuleEngine({
      baseCurrency: by.baseCurrency,
      heldMax: this.#ports.heldMax,
      keyOf,
      plan: planRules(rules, exponentOf(by.baseCurrency) ?? 2),
      zone: by.zone,
    });
    const reader = new EntryReader(this.#ports, { base: by.baseCurrency, tenantId });
    const position = await this.#ports.tables.find(rulePositionTable, { shard: 0, tenantId });
    for await (const segment of this.#ports.log.read({ from: 1, tenantId })) {
      engine.take(await reader.read(segment, position?.ratesVersion));
      // As the evaluator does, but that alerts stay.
      if (engine.isOver) engine.catchUp(Number.MAX_SAFE_INTEGER);
      engine.prune();
    }
    engine.catchUp(Number.MAX_SAFE_INTEGER);
    return [...engine.alerts.values()]
      .map((alert) => ({ alert, alertId: alertIdOf(tenantId, causeOf(alert)) }))
      .sort((one, other) => (one.alertId < other.alertId ? -1 : 1));
  }
}
