/** Rules of privacy over a model of the store, with a clock that the test moves. */
import type { ChainId, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { secretBox } from '#platform/secretBox';
import {
  erasureWorkTable,
  type HoldPorts,
  legalHoldTable,
  type PrivacyActor,
  privacyRequestTable,
  type ReceiveRequest,
  signedPrivacy,
  subjectFlagTable,
} from '#slices/privacy';
import { type SignedHouse, signedHouse } from '../../storage/signedHouse.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const CLERK: PrivacyActor = { actor: 'person:clerk', isPerson: true, tenantId: TENANT };
export const OFFICER: PrivacyActor = { actor: 'person:officer', isPerson: true, tenantId: TENANT };

export interface PrivacyHouse extends HoldPorts {
  readonly house: SignedHouse;
  /** Time passes to this instant. */
  setTime(text: string): void;
  /** Members of the chain's entries of an action, in order. */
  entries(action: string): readonly Readonly<Record<string, unknown>>[];
}

export function privacyHouse(startedAt = '2026-01-05T09:00:00.000Z'): PrivacyHouse {
  const house = signedHouse([
    erasureWorkTable,
    legalHoldTable,
    privacyRequestTable,
    subjectFlagTable,
  ]);
  let [now, monotonicMs] = [Date.parse(startedAt), 0];
  const clock = {
    // Each look is a fresh one: what is known to be good is asked again after half a minute.
    monotonicMs: () => (monotonicMs += 60_000),
    now: () => now as EpochMs,
  };
  const { audit, commit, keyRing, tables } = house;
  return {
    clock,
    commit,
    entries: (action) =>
      audit
        .chain(TENANT as string as ChainId)
        .events.filter((event) => event.action === action)
        .map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    holder: 'house',
    house,
    random: systemRandom,
    secrets: secretBox([new Uint8Array(32).fill(5)], systemRandom),
    setTime: (text) => {
      now = Date.parse(text);
    },
    signed: signedPrivacy({ audit, clock, keyRing, tables }),
    tables,
  };
}

export const ACCESS: ReceiveRequest = {
  action: 'export',
  by: CLERK,
  identity: { method: 'in_person' },
  locale: 'fr',
  requester: { relation: 'self' },
  subject: { subjectRef: 'C-1042' },
};
