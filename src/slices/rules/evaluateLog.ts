/**
 * One tenant's log through its rules. Whoever holds the tenant keeps its windows in memory and goes
 * on from the position: a segment is evaluated, and one commit has the alerts, what came of the
 * segment, and the position. What dies in between is evaluated again, and comes to the same: ids
 * follow from what was found, so nothing is raised twice and nothing is lost.
 */
import {
  type CommitEvidence,
  type EntryContext as EvidenceContext,
  StaleChange,
} from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf, type TableChange, type Tables, type TenantId } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import { type RuleAlertDraft, type RuleAlertPorts, ruleAlertParts } from '#slices/alerts';
import { exponentOf, ratesInForce } from '#slices/monitoring';
import { planRules } from './compileRule.ts';
import type { EngineStep, NotEvaluated } from './engineStep.ts';
import type { Entry } from './entry.ts';
import { evaluatedEntry, evaluatedEvent, resultOf, setEntry } from './evaluated.ts';
import { notEvaluatedDrafts } from './notices.ts';
import { AlertPlanner, draftsOf } from './planAlerts.ts';
import type { RuleReadPorts } from './ports.ts';
import { type EntryPorts, EntryReader } from './readEntries.ts';
import { RuleEngine, TOO_LATE_MS } from './ruleEngine.ts';
import { type RuleSet, ruleSetOf } from './ruleSet.ts';
import { requirePosition, storedSince } from './signedPosition.ts';
import { requireRules } from './signedRules.ts';
import { type SubjectKeys, subjectKeysOf } from './subjectKeys.ts';
import {
  type RulePosition,
  type RuleResult,
  ruleAlertTable,
  rulePositionTable,
  ruleResultTable,
  type StoredRuleAlert,
} from './tables.ts';
import { WindowKeeper, type WindowPorts } from './windowKeeper.ts';

/** What rules are evaluated with. */
export interface EvaluatePorts
  extends EvidenceContext,
    EntryPorts,
    WindowPorts,
    Pick<RuleReadPorts, 'signed'> {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'page'>;
  readonly audit: RuleReadPorts['audit'];
  readonly commit: CommitEvidence;
  readonly alerts: RuleAlertPorts;
  readonly signedPositions: RuleReadPorts['signed'];
  readonly signedSuppressions: RuleReadPorts['signed'];
  readonly settingsOf: (
    tenantId: TenantId,
  ) => Promise<{ readonly baseCurrency: string; readonly zone: string }>;
  /** Told what rules could say nothing of, once it is committed. */
  readonly onNotEvaluated?: (of: readonly NotEvaluated[]) => void;
  /** Transactions in memory; HELD_MAX without it. */
  readonly heldMax?: number;
  /** For drills: called by name between the steps. */
  readonly at?: (point: string) => void;
}

type PositionHold = Hold<RulePosition, 'tenantId' | 'shard'>;

/** Alerts of one commit: each has up to three rows, and a commit takes a thousand changes. */
const ALERTS_PER_COMMIT = 250;
/** Waiting ones that are evaluated again between two segments. */
const CATCH_UP_MAX = 2_000;
/** Late ones that are remembered; beyond, they are worked off before the next segment. */
const LATE_MAX = 1_000;

interface State {
  readonly engine: RuleEngine;
  readonly set: RuleSet;
  readonly keys: SubjectKeys;
  readonly reader: EntryReader;
  readonly baseCurrency: string;
  /** Versions of stored alerts, by id. */
  readonly stored: Map<string, StoredRuleAlert>;
  /** The version of rates that what had none was converted by. */
  ratesVersion: number;
  /** That of the position which it stands at. */
  version: number;
}

/** Evaluates one tenant's log; keeps its windows between two holds. */
export class TenantEvaluator {
  readonly #ports: EvaluatePorts;
  readonly #tenantId: TenantId;
  readonly #windows: WindowKeeper;
  #state: State | undefined;

  constructor(ports: EvaluatePorts, tenantId: TenantId) {
    this.#ports = ports;
    this.#tenantId = tenantId;
    this.#windows = new WindowKeeper(ports, tenantId);
  }

  /** Transactions in memory. */
  get size(): number {
    return this.#state?.engine.size ?? 0;
  }

  /** Whether the oldest have left memory though windows reach them (memory.ts). */
  get isCut(): boolean {
    return this.#state?.engine.cut !== undefined;
  }

  /** Up to the end of the log, and until nothing waits. Throws WorkLost. */
  async evaluate(hold: PositionHold): Promise<void> {
    const tenantId = this.#tenantId;
    await requirePosition(this.#ports, hold.record);
    try {
      for (;;) {
        await this.#takeRates(hold);
        const from = hold.record.tseq + 1;
        let read = 0;
        for await (const segment of this.#ports.log.read({ from, tenantId })) {
          hold.signal.throwIfAborted();
          read += segment.length;
          const state = await this.#stateFor(hold);
          const entries = await state.reader.read(segment, state.ratesVersion);
          this.#ports.at?.('read');
          const last = segment.at(-1)?.tseq ?? hold.record.tseq;
          const step = state.engine.take(entries);
          this.#ports.at?.('evaluated');
          await this.#commit(hold, state, { entries, step, tseq: last });
          if (hold.record.late.length >= LATE_MAX || state.engine.isOver)
            await this.#catchUp(hold, state, Number.MAX_SAFE_INTEGER);
          prune(state);
          await this.#keepWindows(hold, state);
        }
        if (read > 0) continue;
        const state =
          this.#state ?? (hold.record.late.length > 0 ? await this.#stateFor(hold) : undefined);
        if (state === undefined) return;
        const isRated = state.ratesVersion === (hold.record.ratesVersion ?? 0);
        if (isRated && state.engine.deferred.length === 0) return;
        await this.#catchUp(hold, state, CATCH_UP_MAX);
      }
    } catch (error) {
      // What is in memory may be ahead of what was committed.
      this.#state = undefined;
      if (error instanceof StaleChange) throw new WorkLost('another worker was first');
      throw error;
    }
  }

  /** Forgets the windows: another worker has the tenant. */
  forget(): void {
    this.#state = undefined;
  }

  /** Lets wait what rates that have come since know more of. */
  async #takeRates(hold: PositionHold): Promise<void> {
    const { ratesVersion = 0, tseq } = hold.record;
    const upTo = await ratesInForce(this.#ports, this.#tenantId);
    if (tseq === 0 || upTo <= (this.#state?.ratesVersion ?? ratesVersion)) return;
    const state = await this.#stateFor(hold);
    const { engine, reader } = state;
    engine.replace(await reader.fill(engine.unrated(), state.ratesVersion, upTo));
    state.ratesVersion = upTo;
  }

  /** The windows as they are at the position, under the rules of now. */
  async #stateFor(hold: PositionHold): Promise<State> {
    const by = await this.#ports.settingsOf(this.#tenantId);
    const set = await ruleSetOf(this.#ports, this.#tenantId, by);
    const known = this.#state;
    const isHere = known !== undefined && known.version === hold.record.version;
    if (isHere && known.set.digest === set.digest) return known;
    await requireRules(this.#ports, this.#tenantId);
    const keys = isHere ? known.keys : await subjectKeysOf(this.#ports.dataKeys, this.#tenantId);
    const reader = new EntryReader(this.#ports, {
      base: by.baseCurrency,
      tenantId: this.#tenantId,
    });
    const plan = planRules(set.rules, exponentOf(by.baseCurrency) ?? 2);
    const engine = new RuleEngine({
      baseCurrency: by.baseCurrency,
      cut: hold.record.cut,
      heldMax: this.#ports.heldMax,
      keyOf: keys.keyOf,
      plan,
      zone: by.zone,
    });
    const since = this.#ports.clock.now() - 2 * TOO_LATE_MS - plan.suppressMs;
    const stored = await storedSince(this.#ports, this.#tenantId, since);
    const { ratesVersion = 0 } = hold.record;
    // A rule that looks back farther than those before it needs what they have let go; in another
    // currency every amount is another, and what rates have begun is begun again.
    const isAlike =
      isHere &&
      plan.reachMs <= known.engine.reachMs &&
      known.baseCurrency === by.baseCurrency &&
      known.ratesVersion === ratesVersion;
    if (isAlike) {
      const entries = known.engine.entries();
      engine.restore(
        entries.map(({ reversedFrom: _, ...one }) => ({ ...one, series: {} })),
        [],
      );
    } else {
      await this.#windows.restore({ ...by, engine }, reader, hold.record);
      engine.restore(await reader.fill(engine.unrated(), 0, ratesVersion), []);
    }
    engine.restore(
      [],
      [...stored.values()].map(({ alert }) => alert),
    );
    engine.deferAfter(hold.record.late);
    this.#ports.at?.('restored');
    const state = {
      baseCurrency: by.baseCurrency,
      engine,
      keys,
      ratesVersion,
      reader,
      set,
      stored,
      version: hold.record.version,
    };
    this.#state = state;
    return state;
  }

  async #catchUp(hold: PositionHold, state: State, max: number): Promise<void> {
    const step = state.engine.catchUp(max);
    await this.#commit(hold, state, { entries: [], step, tseq: hold.record.tseq });
  }

  /** Now and then, so that who begins again reads little of the log. */
  async #keepWindows(hold: PositionHold, state: State): Promise<void> {
    const before = hold.record;
    const isSettled =
      state.engine.deferred.length === 0 && state.ratesVersion === (before.ratesVersion ?? 0);
    if (!isSettled || !this.#windows.isDue(state, before)) return;
    const put = await this.#windows.keep(state, before);
    this.#ports.at?.('windows put');
    if (put === undefined) {
      // What was erased leaves memory, too.
      this.#state = undefined;
      return;
    }
    const next: RulePosition = {
      ...before,
      updatedAt: this.#ports.clock.now(),
      version: before.version + 1,
      windows: put.windows,
    };
    const position = { before, next };
    await this.#commitAlerts(hold, state, {
      alerts: [],
      beside: [put.change],
      drafts: [],
      position,
    });
    this.#ports.at?.('windows kept');
    hold.replace(next);
    state.version = next.version;
  }

  /** Alerts first where there are many; the last commit has the position. */
  async #commit(
    hold: PositionHold,
    state: State,
    of: { readonly entries: readonly Entry[]; readonly step: EngineStep; readonly tseq: number },
  ): Promise<void> {
    const before = hold.record;
    const planner = new AlertPlanner(this.#ports, {
      engine: state.engine,
      storms: before.storms,
      stored: state.stored,
      tenantId: this.#tenantId,
    });
    const planned = await planner.plan(of.step, of.entries);
    const parts = pieces(planned.alerts, ALERTS_PER_COMMIT);
    for (const part of parts.slice(0, -1)) {
      await this.#commitAlerts(hold, state, { alerts: part, drafts: draftsOf(planned, part) });
      this.#ports.at?.('some alerts');
    }
    const last = parts.at(-1) ?? [];
    const receivedAt = of.entries.at(-1)?.receivedAt ?? this.#ports.clock.now();
    const isOver = state.engine.deferred.length === 0;
    const late = isOver ? [] : [...new Set([...before.late, ...of.step.deferredBy])];
    const { cut } = state.engine;
    const next: RulePosition = {
      ...before,
      // Once all that they concern is evaluated: who dies before that begins again.
      ...(isOver && state.ratesVersion > 0 && { ratesVersion: state.ratesVersion }),
      ...(cut !== undefined && { cut }),
      late,
      ruleSet: state.set.digest,
      storms: planned.storms,
      tseq: of.tseq,
      updatedAt: this.#ports.clock.now(),
      version: before.version + 1,
    };
    const result =
      of.tseq === before.tseq
        ? undefined
        : resultOf(
            { engine: state.engine, ruleSet: state.set.digest, stored: state.stored },
            { before, next, planned, step: of.step },
          );
    await this.#commitAlerts(hold, state, {
      alerts: last,
      drafts: [...draftsOf(planned, last), ...notEvaluatedDrafts(of.step.notEvaluated, receivedAt)],
      position: { before, next, ...(result && { result }) },
    });
    this.#ports.at?.('committed');
    hold.replace(next);
    state.version = next.version;
    if (of.step.notEvaluated.length > 0) this.#ports.onNotEvaluated?.(of.step.notEvaluated);
  }

  async #commitAlerts(
    hold: PositionHold,
    state: State,
    of: {
      readonly alerts: readonly StoredRuleAlert[];
      readonly drafts: readonly RuleAlertDraft[];
      readonly beside?: readonly TableChange[];
      readonly position?: {
        readonly before: RulePosition;
        readonly next: RulePosition;
        readonly result?: RuleResult;
      };
    },
  ): Promise<void> {
    const { alerts, beside = [], drafts, position } = of;
    if (alerts.length === 0 && position === undefined) return;
    const tenantId = this.#tenantId;
    const isFirst = position !== undefined && position.before.ruleSet !== position.next.ruleSet;
    for (let tries = 1; ; tries += 1) {
      const raised = await ruleAlertParts(this.#ports.alerts, tenantId, drafts);
      const changes: TableChange[] = [
        hold.expected,
        ...beside,
        ...alerts.map((one) => ruleAlertTable.put(one, one.version - 1)),
        ...(position === undefined
          ? []
          : [rulePositionTable.put(position.next, position.before.version)]),
        ...(position?.result === undefined ? [] : [ruleResultTable.insert(position.result)]),
        ...(state.keys.record !== undefined && position?.before.tseq === 0
          ? [dataKeyTable.insert(state.keys.record)]
          : []),
      ];
      this.#ports.at?.('before commit');
      try {
        await this.#ports.commit(chainOf(tenantId), {
          bus: [
            ...raised.bus,
            ...(position?.result === undefined ? [] : [evaluatedEvent(position.result)]),
          ],
          changes: [...changes, ...raised.changes],
          events: [
            ...raised.events,
            ...(isFirst ? [setEntry(this.#ports, state.set)] : []),
            evaluatedEntry(this.#ports, state.set, of),
          ],
        });
        break;
      } catch (error) {
        // The alerts' log goes on beside: only that may be read again.
        const isOwn = error instanceof StaleChange && error.changeIndex < changes.length;
        if (!(error instanceof StaleChange) || isOwn || tries >= STALE_TRIES) throw error;
      }
    }
    for (const one of alerts) state.stored.set(one.alertId, one);
  }
}

const STALE_TRIES = 20;

/** Lets go what nothing can change any more, and what is too much. */
function prune({ engine, stored }: State): void {
  const found = engine.prune();
  if (found === undefined) return;
  engine.forgetAlerts(found.alertsBefore);
  for (const [id, { lastAt }] of stored) if (lastAt < found.alertsBefore) stored.delete(id);
}

const pieces = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
