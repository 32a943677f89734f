/** Made-up alerts over the model's tables, with a clock that is moved, and people who work. */
import { Erasures } from '#core/audit';
import type { Person, Principal, Role } from '#core/identity';
import type { AnyTable, BatchId, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  type AlertDeskPorts,
  type AlertDraft,
  type AlertSettings,
  alertIdOf,
  alertLogHeadTable,
  alertLogTable,
  alertNoteTable,
  alertTable,
  raiseAlerts,
  readNote,
  SignedAlerts,
} from '#slices/alerts';
import { signedHouse } from '../../storage/signedHouse.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const OTHER_TENANT = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;
export const START = Date.UTC(2026, 0, 5, 12) as EpochMs;
export const TABLES = [alertTable, alertLogTable, alertLogHeadTable, alertNoteTable];
const ISSUER = 'https://issuer.test';

export const SETTINGS: AlertSettings = {
  assignedTo: 'nobody',
  dueHours: { Critical: 4, High: 24, Low: 240, Medium: 120 },
  fourEyes: 'sanctions',
  raisedFor: [
    'MATCH_DIRECT_SANCTIONS',
    'MATCH_PEP',
    'MATCH_RCA_DIRECT',
    'MATCH_RCA_INDIRECT',
    'POTENTIAL_ADVERSE_MEDIA',
  ],
};

function personNamed(name: string, ...roles: Role[]): Person {
  const accounts = [{ issuer: ISSUER, subject: name }];
  return { accounts, id: name, keys: [], name, roles, tenantId: TENANT, version: 1 };
}

export const PEOPLE = {
  anna: personNamed('anna', 'agent_l1'),
  ben: personNamed('ben', 'agent_l1'),
  carl: personNamed('carl', 'compliance_officer'),
  lena: personNamed('lena', 'agent_l2'),
  mia: personNamed('mia', 'mlro'),
} as const;
export type Name = keyof typeof PEOPLE;

export const caller = (name: Name): Principal => ({
  environment: 'live',
  id: `${ISSUER}|${name}`,
  kind: 'user',
  mfa: true,
  roles: PEOPLE[name].roles,
  tenantId: TENANT,
});

export const machine: Principal = {
  environment: 'live',
  id: 'key-1',
  kind: 'api-key',
  mfa: false,
  roles: ['agent_l2', 'mlro'],
  tenantId: TENANT,
};

/** The n-th screening with hits. */
export const draftOf = (n: number, given: Partial<AlertDraft> = {}): AlertDraft => ({
  cause: { kind: 'screening', screeningId: `screening-${n}` },
  hitsTotal: 1,
  score: 0.95,
  source: 'OFAC_SDN',
  type: 'screening',
  typology: 'MATCH_DIRECT_SANCTIONS',
  ...given,
});

export const batchDraft = (ordinal: number): AlertDraft =>
  draftOf(ordinal, {
    cause: {
      batchId: 'batch-1' as BatchId,
      batchSubjectId: `subject-${ordinal}`,
      kind: 'batch_subject',
      ordinal,
    },
    type: 'batch',
  });

export const idOf = (draft: AlertDraft): string => alertIdOf(TENANT, draft.cause);

/** The rules over the model's tables. */
export function openDesk(settings: Partial<AlertSettings> = {}, beside: readonly AnyTable[] = []) {
  const house = signedHouse([...TABLES, ...beside]);
  let now: EpochMs = START;
  const ports: AlertDeskPorts = {
    clock: { now: () => now },
    commit: house.commit,
    listPersons: async () => Object.values(PEOPLE),
    random: systemRandom,
    readNote: (note) => readNote({ ...house, erasures: new Erasures(house) }, note),
    settingsOf: async () => ({ ...SETTINGS, ...settings }),
    signed: new SignedAlerts(house),
    tables: house.tables,
  };
  return {
    house,
    moveTo: (at: number) => {
      now = at as EpochMs;
    },
    ports,
    raise: async (...drafts: readonly AlertDraft[]) => {
      await raiseAlerts(ports, TENANT, drafts);
    },
  };
}
