/** Policies of a made-up tenant in their stages: tried, submitted, signed by its people. */
import { approvalMessage, signedAuthorOf } from '#core/identity';
import { type Hold, Hold as WorkHold } from '#core/work';
import { toTimestamp } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import {
  activateShadow,
  approveRiskPolicy,
  countShadow,
  createRiskPolicy,
  evaluateClient,
  type RiskBacktest,
  requestRiskBacktest,
  requirePolicy,
  riskBacktestTable,
  riskPublicationSubject,
  riskShadowTable,
  runRiskBacktest,
  type ShadowHold,
  submitPolicy,
} from '#slices/risk';
import { BY, callerOf, openRiskDesk, person, type RiskDesk, TENANT } from './riskDesk.ts';

export const SEEDS = { carl: 1, cora: 2, dina: 3, dora: 4 } as const;
export type Name = keyof typeof SEEDS;
export const ROLE = {
  carl: 'compliance_officer',
  cora: 'compliance_director',
  dina: 'dsi_admin',
  dora: 'dsi_admin',
} as const;
export const signerOf = (name: Name) => signerFromSeed(new Uint8Array(32).fill(SEEDS[name]));
export const PERSONS = (Object.keys(SEEDS) as Name[]).map((name) => ({
  ...person(name, ROLE[name]),
  keys: [
    {
      keyId: `key-${name}`,
      publicKey: Buffer.from(signerOf(name).publicKey.raw).toString('base64'),
      validFrom: 0 as never,
    },
  ],
}));
export const JUSTIFICATION =
  'Countries of high risk weigh more since the decision of the board in June';

let desks: RiskDesk[] = [];
/** Closes what a test has opened. */
export const closeDesks = async (): Promise<void> => {
  for (const desk of desks) await desk.close();
  desks = [];
};

export async function open() {
  const desk = await openRiskDesk(PERSONS);
  desks.push(desk);
  return desk;
}

export const by = (name: Name) => ({ principal: callerOf(name, ROLE[name]), tenantId: TENANT });

/** Works the one open backtest off, as a worker does. */
export async function work(desk: RiskDesk): Promise<void> {
  const { ports, tables } = desk;
  const [lane] = await tables.lanes(riskBacktestTable, { limit: 1, now: desk.clock.now() });
  const ask = { holder: 'test', lane: lane ?? [], limit: 1, now: desk.clock.now() };
  const [leased] = await tables.lease(riskBacktestTable, ask);
  if (leased === undefined) throw new Error('nothing to do');
  const times = { leaseMs: 60_000, renewMs: 20_000 };
  const hold: Hold<RiskBacktest, 'btrId' | 'tenantId'> = new WorkHold(
    { clock: desk.clock, tables },
    riskBacktestTable,
    leased,
    { times },
  );
  await runRiskBacktest(ports, hold);
  await hold.end();
}

/** Counts the shadow that is due, as a worker does; false: none is. */
export async function countOne(desk: RiskDesk, ports = desk.ports): Promise<boolean> {
  const { clock, tables } = desk;
  const ask = { holder: 'test', lane: [TENANT], limit: 1, now: clock.now() };
  const [leased] = await tables.lease(riskShadowTable, ask);
  if (leased === undefined) return false;
  const times = { leaseMs: 60_000, renewMs: 20_000 };
  const hold: ShadowHold = new WorkHold({ clock, tables }, riskShadowTable, leased, { times });
  await countShadow(ports, hold);
  return true;
}

/** Three clients, evaluated; one of them moves when countries weigh more. */
export async function withClients(desk: RiskDesk): Promise<void> {
  for (const [ref, country] of [
    ['client-1', 'TN'],
    ['client-2', 'KP'],
    ['client-3', 'VE'],
  ] as const) {
    const { caseId } = await desk.newClient(ref, { country_residence: country });
    await evaluateClient(desk.ports, { ...BY, caseId, isAsked: true });
    desk.clock.advance(1);
  }
}

/** A draft of Carl’s with both reports, submitted. */
export async function submitted(
  desk: RiskDesk,
  more: { readonly effective_at?: string } = {},
  edit?: (policyId: string) => Promise<void>,
) {
  const { clock, ports } = desk;
  const { policyId } = await createRiskPolicy(ports, by('carl'), {
    name: 'Countries',
    thresholds: { high: 45, standard: 25 },
  });
  const place = { policyId, tenantId: TENANT };
  await edit?.(policyId);
  await activateShadow(ports, { ...by('carl'), policyId });
  await withClients(desk);
  await requestRiskBacktest(
    ports,
    { ...by('carl'), policyId },
    { from: 0 as never, to: (clock.now() + 1) as never },
  );
  await work(desk);
  const tried = await requirePolicy(ports, place);
  await submitPolicy(
    ports,
    { ...by('carl'), policyId },
    {
      backtestReportId: tried.backtestReport?.reportId ?? '',
      justification: JUSTIFICATION,
      shadowReportId: tried.shadow?.shadowReportId ?? '',
      ...more,
    },
  );
  return policyId;
}

export async function approve(
  desk: RiskDesk,
  name: Name,
  policyId: string,
  comment = 'Looked at both',
) {
  const { clock, ports } = desk;
  const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
  const timestamp = toTimestamp(clock.now());
  const message = approvalMessage(riskPublicationSubject(policy), {
    approver: name,
    author: signedAuthorOf(policy),
    timestamp,
  });
  const signature = Buffer.from(signerOf(name).sign(message)).toString('base64');
  const given = { comment, signature, timestamp };
  const again = () => approveRiskPolicy(ports, { ...by(name), policyId }, given);
  return { again, policy: await again() };
}

/** The same desk, with clients of other names. */
export const desk2 = (desk: RiskDesk): RiskDesk => ({
  ...desk,
  newClient: (ref, subject) => desk.newClient(`second-${ref}`, subject),
});
