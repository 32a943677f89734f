/** Rules over the model's tables: a log, an evaluator that may die, people who sign. */
import {
  approvalMessage,
  consumedApprovalTable,
  type GivenSignature,
  type Person,
  type Principal,
  type Role,
  signedAuthorOf,
} from '#core/identity';
import { everyRecord, type Table, type TableRecord, type Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { toTimestamp } from '#platform/clock';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import {
  type Alert,
  alertLogHeadTable,
  alertLogTable,
  alertNoteTable,
  alertTable,
  SignedAlerts,
} from '#slices/alerts';
import {
  exchangeRatesTable,
  logStream,
  publishRates,
  ratesReader,
  type Transaction,
} from '#slices/monitoring';
import {
  backtestTable,
  type EvaluatePorts,
  findRule,
  firstPosition,
  publicationSubject,
  publishRule,
  type RuleDeskPorts,
  type RulePosition,
  type RuleRecord,
  ruleAlertTable,
  rulePositionTable,
  ruleResultTable,
  ruleTable,
  type StoredRuleAlert,
  signedBacktests,
  signedPositions,
  signedRules,
  signedSuppressions,
  suppressionTable,
  TenantEvaluator,
} from '#slices/rules';
import { SETTINGS as ALERT_SETTINGS } from '../alerts/desk.ts';
import { openLedger, TENANT } from '../monitoring/ledger.ts';

export { TENANT } from '../monitoring/ledger.ts';

const ISSUER = 'https://issuer.test';
const keyOf = (seed: number): Signer => signerFromSeed(new Uint8Array(32).fill(seed));
const SEEDS = { carl: 1, dora: 3, lena: 8, omar: 9 } as const;
export type Name = keyof typeof SEEDS;
const ROLES: Readonly<Record<Name, readonly Role[]>> = {
  carl: ['compliance_officer'],
  dora: ['dsi_admin'],
  lena: ['agent_l2'],
  omar: ['agent_l2'],
};

const personOf = (name: Name): Person => ({
  accounts: [{ issuer: ISSUER, subject: name }],
  id: `0190dddd-0000-7000-8000-00000000000${SEEDS[name]}`,
  keys: [
    {
      keyId: `key-${name}`,
      publicKey: Buffer.from(keyOf(SEEDS[name]).publicKey.raw).toString('base64'),
      validFrom: 0 as EpochMs,
    },
  ],
  name,
  roles: ROLES[name],
  tenantId: TENANT,
  version: 1,
});

const caller = ({ name, roles }: Person): Principal => ({
  environment: 'live',
  id: `${ISSUER}|${name}`,
  kind: 'user',
  mfa: true,
  roles,
  tenantId: TENANT,
});

/** The version of the pack that tests publish. */
export const PLACE = { ruleId: 'TM-CASH-01', ruleVersion: 1, tenantId: TENANT };

async function collected<R extends TableRecord>(
  tables: Pick<Tables, 'page'>,
  table: Table<R>,
  index: string,
): Promise<R[]> {
  const found: R[] = [];
  for await (const one of everyRecord(tables, table, {
    equal: { tenantId: TENANT },
    index,
  } as never))
    found.push(one);
  return found;
}

export type RuleHouse = ReturnType<typeof openRuleHouse>;

export function openRuleHouse() {
  const ledger = openLedger(undefined, [
    alertLogHeadTable,
    alertLogTable,
    alertNoteTable,
    alertTable,
    backtestTable,
    consumedApprovalTable,
    exchangeRatesTable,
    ruleAlertTable,
    rulePositionTable,
    ruleResultTable,
    ruleTable,
    suppressionTable,
  ]);
  const { house, ports: taking } = ledger;
  const persons = Object.fromEntries(
    (Object.keys(SEEDS) as Name[]).map((name) => [name, personOf(name)]),
  ) as Record<Name, Person>;
  const clock = { monotonicMs: () => performance.now(), now: () => Date.now() as EpochMs };
  const signing = { audit: house.audit, clock, keyRing: house.keyRing };
  let dies: ((point: string) => void) | undefined;
  const rates = ratesReader({ ...taking, audit: house.audit, keyRing: house.keyRing });
  const log = logStream({ ...taking, audit: house.audit, keyRing: house.keyRing });
  let heldMax: number | undefined;
  let windowsEvery: number | undefined;
  const readFrom: number[] = [];
  const unread: string[] = [];
  const told: string[] = [];
  const partsOf = (): EvaluatePorts & RuleDeskPorts => ({
    alerts: {
      clock,
      commit: house.commit,
      listPersons: async () => Object.values(persons),
      random: systemRandom,
      settingsOf: async () => ALERT_SETTINGS,
      signed: new SignedAlerts(house),
      tables: taking.tables,
    },
    at: (point) => dies?.(point),
    audit: house.audit,
    blobs: taking.blobs,
    clock,
    commit: house.commit,
    dataKeys: taking.dataKeys,
    editingLock: async () => undefined,
    facts: { of: async () => new Map() },
    ...(heldMax !== undefined && { heldMax }),
    ...(windowsEvery !== undefined && { windowsEvery }),
    listPersons: async () => Object.values(persons),
    onNotEvaluated: (all) => told.push(...all.map(({ reason }) => reason)),
    log: {
      head: log.head,
      read: (ask) => {
        readFrom.push(ask.from);
        return log.read(ask);
      },
    },
    onWindowsUnread: (why) => unread.push(why),
    random: systemRandom,
    rates,
    settingsOf: async () => ({ baseCurrency: 'EUR', zone: 'UTC' }),
    signed: signedRules(signing),
    signedBacktests: signedBacktests(signing),
    signedPositions: signedPositions(signing),
    signedSuppressions: signedSuppressions(signing),
    tables: taking.tables,
  });
  const parts = partsOf();
  const as = (name: Name) => ({ principal: caller(persons[name]), tenantId: TENANT });
  let evaluator: TenantEvaluator | undefined;

  async function hold() {
    const key = { shard: 0, tenantId: TENANT };
    const found = await house.tables.find(rulePositionTable, key);
    if (found === undefined) {
      await house.tables.insertMissing(rulePositionTable, [firstPosition(TENANT)]);
    }
    let record: RulePosition = found ?? firstPosition(TENANT);
    return {
      expected: rulePositionTable.expect(key, {}),
      get record() {
        return record;
      },
      replace: (next: RulePosition) => {
        record = next;
      },
      signal: new AbortController().signal,
    } as never;
  }

  /** What this person signs of a version now. */
  function sign(record: RuleRecord, name: Name): GivenSignature {
    const { field, newValue, resource } = publicationSubject(record);
    const timestamp = toTimestamp(clock.now());
    const { id } = persons[name];
    const message = approvalMessage(
      { field, newValue, resource },
      { approver: id, author: signedAuthorOf(record), timestamp },
    );
    return {
      signature: Buffer.from(keyOf(SEEDS[name]).sign(message)).toString('base64'),
      signer: id,
      timestamp,
    };
  }

  return {
    ...ledger,
    as,
    parts,
    persons,
    /** From the next evaluator on, memory has so many transactions. */
    hold: (most: number) => {
      heldMax = most;
    },
    /** From the next evaluator on, windows are kept each time that so many have come. */
    keepEvery: (transactions: number) => {
      windowsEvery = transactions;
    },
    /** From where the log was read, each time. */
    readFrom,
    /** Why kept windows were not read. */
    unread,
    /** Why rules said nothing, as the evaluator has told. */
    told,
    /** Alerts that people have, latest first. */
    alerts: () => collected<Alert>(house.tables, alertTable, 'newest'),
    /** Alerts of rules, raised or not. */
    stored: () => collected<StoredRuleAlert>(house.tables, ruleAlertTable, 'key'),
    /** The store as somebody may have altered it, and the chain. */
    reading: () => ({ ...house, tables: taking.tables }),
    /** What alerts of rules are shown with. */
    shown: () => ({
      find: ({ txId }: { readonly txId: string }) => ledger.find(txId),
      signedPositions: parts.signedPositions,
      tables: taking.tables,
    }),
    /** Signed by one of compliance and one of DSI. */
    async publish(place = PLACE) {
      const record = await findRule(parts, place);
      const signatures = [sign(record, 'carl'), sign(record, 'dora')];
      return publishRule(parts, { ...as('carl'), ...place, signatures });
    },
    /** Evaluates to the end of the log; a new evaluator knows nothing but the store. */
    async evaluate(isNew = false): Promise<void> {
      evaluator =
        isNew || evaluator === undefined ? new TenantEvaluator(partsOf(), TENANT) : evaluator;
      await evaluator.evaluate(await hold());
    },
    /** The next version of rates: of dollars alone, on one day. */
    rate: (rate: string, date: string) =>
      publishRates(
        { ...taking, commit: house.commit },
        {
          actor: 'key:1',
          base: 'EUR',
          rates: [{ currency: 'USD', date, rate }],
          requestedBy: 'key-1',
          tenantId: TENANT,
        },
      ),
    /** From now on it dies there, each time that this says so. */
    dieAt: (at: ((point: string) => void) | undefined) => {
      dies = at;
    },
    position: () => house.tables.find(rulePositionTable, { shard: 0, tenantId: TENANT }),
    sign,
  };
}

/** Three cash credits just below the threshold, an hour apart. */
export const structuring = (account: string, first: number, at = '2026-03-05'): Transaction[] =>
  [0, 1, 2].map((hour) => ({
    account_id: account,
    amount: '9000.00',
    channel: 'cash',
    currency: 'EUR',
    debtor: { name: 'Tarek Velmorani' },
    direction: 'credit',
    occurred_at: `${at}T1${hour}:00:00.000Z`,
    precision: 'ms',
    tx_id: `S-${first + hour}`,
  }));
