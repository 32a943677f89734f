/**
 * Rules whose evaluator dies at eight points, many times at each: late, revised and reversed
 * payments among others, and one body that raises more alerts than a commit takes. Afterwards the
 * alerts are, byte for byte, those of the whole log evaluated once, by a process that never died.
 */
import { checkAlerts } from '#slices/alerts';
import type { Transaction } from '#slices/monitoring';
import { checkEvaluated, RuleReplay, storedDigest } from '#slices/rules';
import { openRuleHouse, type RuleHouse, structuring, TENANT } from '../slices/rules/house.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const POINTS = [
  'read',
  'evaluated',
  'some alerts',
  'before commit',
  'committed',
  'windows put',
  'windows kept',
  'restored',
] as const;
type Point = (typeof POINTS)[number];

const ROUNDS = { short: 1, whole: 100 };
/** Before, in the middle of and behind a commit. */
const SHORT_POINTS: readonly Point[] = ['evaluated', 'some alerts', 'windows put'];
/** Accounts of the body whose alerts are more than one commit takes. */
const MANY = 260;
/** Windows are kept so often that each round does. */
const KEPT_EVERY = 100;
const TRIES_MAX = 200;
const KILLED = 'killed by the drill';

export async function rules({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('rules', { isShort });
  const rounds = isShort ? ROUNDS.short : ROUNDS.whole;
  for (const point of isShort ? SHORT_POINTS : POINTS) {
    let [alerts, kills] = [0, 0];
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const found = await oneRound(point, round);
      alerts += found.alerts;
      kills += found.kills;
      faults.push(...found.faults);
    }
    findings.judge(
      `an evaluator that dies at “${point}” raises what one does that lives, once`,
      `${rounds} logs, ${kills} deaths, ${alerts} alerts; ${faults[0] ?? 'no difference'}`,
      kills >= rounds && alerts > 0 && faults.length === 0,
    );
  }
  return findings.rows;
}

interface Round {
  readonly alerts: number;
  readonly kills: number;
  readonly faults: readonly string[];
}

/** Dies at every other time that the point is reached, later ones in later rounds first. */
async function oneRound(point: Point, round: number): Promise<Round> {
  const house = openRuleHouse();
  house.keepEvery(KEPT_EVERY);
  await house.publish();
  let [kills, reached] = [0, 0];
  house.dieAt((at) => {
    if (at !== point || reached++ % 2 !== round % 2) return;
    kills += 1;
    throw new Error(KILLED);
  });
  for (const body of bodies(round)) {
    await house.take(body);
    await evaluated(house);
    // Every third time somebody else takes the tenant up.
    if (reached % 3 === round % 3) await evaluated(house, true);
  }
  house.dieAt(undefined);
  await house.evaluate(true);
  return { ...(await comparedWithReplay(house)), kills };
}

async function evaluated(house: RuleHouse, isNew = false): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await house.evaluate(isNew || tries > 1);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== KILLED || tries > TRIES_MAX) throw error;
    }
  }
}

async function comparedWithReplay(house: RuleHouse): Promise<Omit<Round, 'kills'>> {
  const stored = (await house.stored()).sort((one, other) =>
    one.alertId < other.alertId ? -1 : 1,
  );
  const kept = stored.map(({ alert, alertId }) => ({ alert, alertId }));
  const replayed = await new RuleReplay(house.parts, TENANT).run();
  const refusals = [
    ...(await checkEvaluated(house.parts, TENANT, {
      alerts: stored.map((one) => ({ digest: storedDigest(one), key: one.alertId })),
      position: await house.position(),
    })),
    ...(await checkAlerts(house.house, TENANT)).refusals,
  ];
  const raised = (await house.alerts()).map(({ alertId }) => alertId);
  const isSame = JSON.stringify(kept, bigints) === JSON.stringify(replayed, bigints);
  return {
    alerts: raised.length,
    faults: [
      ...(isSame ? [] : ['the replay has others']),
      ...(new Set(raised).size === raised.length ? [] : ['an alert was raised twice']),
      ...refusals,
    ],
  };
}

const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value;

/** One log: which account comes late, and what is revised, differs by round. */
function bodies(round: number): readonly (readonly Transaction[])[] {
  const account = (n: number): string => `A-${(n + round) % 4}`;
  const many = [0, 1, 2].map((hour) =>
    Array.from({ length: MANY }, (_, at) => {
      const [first] = structuring(`M-${at}`, 1_000, '2026-03-10');
      return {
        ...(first as Transaction),
        occurred_at: `2026-03-10T1${hour}:00:00.000Z`,
        tx_id: `M-${at}-${hour}`,
      };
    }),
  );
  return [
    structuring(account(0), 10, '2026-03-08'),
    ...many,
    structuring(account(1), 20, '2026-03-12'),
    structuring(account(0), 30, '2026-03-07'),
    structuring(account(2), 40, '2026-03-13'),
    structuring(account(2), 40, '2026-03-13').map((one) => ({
      ...one,
      amount: `9${round % 9}50.00`,
      revision: 1,
    })),
    structuring(account(1), 20, '2026-03-14').map((one, at) => ({
      ...one,
      reverses: `S-${20 + at}`,
      status: 'reversed' as const,
      tx_id: `R-${at}`,
    })),
    structuring(account(3), 50, '2026-03-15'),
  ];
}
