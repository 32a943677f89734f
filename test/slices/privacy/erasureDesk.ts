/** Erasures over a real gateway, with a clock that the test moves and workers that die. */
import { chainOf, type TenantId } from '#core/kernel';
import { Hold } from '#core/work';
import type { EpochMs } from '#platform/clock';
import {
  approveErasure,
  buildPlans,
  carryOutErasure,
  erasureWorkTable,
  noteIdentity,
  type PrivacyActor,
  type PrivacyRequest,
  privacyDeskOf,
  type Reached,
  receiveRequest,
} from '#slices/privacy';
import type { RealGateway } from '../../api/realGateway.ts';

export const YEAR_MS = 365.25 * 24 * 3_600_000;

export function erasureDesk({ process }: Pick<RealGateway, 'process'>, tenantId: TenantId) {
  let aheadMs = 0;
  const clock = {
    monotonicMs: () => process.clock.monotonicMs(),
    now: () => (process.clock.now() + aheadMs) as EpochMs,
  };
  const ports = { ...privacyDeskOf(process), clock };
  const person = (name: string): PrivacyActor => ({
    actor: `person:${name}`,
    isPerson: true,
    tenantId,
  });
  const placeOf = ({ requestId }: Pick<PrivacyRequest, 'requestId'>) => ({ requestId, tenantId });

  /** Asked for, proved and planned. */
  async function planned(subjectRef: string, by = person('clerk')): Promise<PrivacyRequest> {
    const { requestId } = await receiveRequest(ports, {
      action: 'erase',
      by,
      identity: { evidence: `letter of ${subjectRef}`, method: 'in_person' },
      locale: 'fr',
      note: `${subjectRef} has asked by telephone`,
      requester: { contact: `${subjectRef}@example.org`, relation: 'self' },
      subject: { subjectRef },
    });
    await noteIdentity(ports, { by: person('officer'), isProven: true, requestId });
    await buildPlans(ports, (_, error) => {
      throw error;
    });
    return ports.signed.requireRequest({ requestId, tenantId });
  }

  /** As a worker does it; `reached` may let it die. */
  async function carryOut(of: Pick<PrivacyRequest, 'requestId'>, reached?: Reached) {
    const { tables } = ports as never as {
      tables: ConstructorParameters<typeof Hold>[0]['tables'];
    };
    const leased = await process.storage.tables.claim(erasureWorkTable, {
      holder: process.holder,
      key: placeOf(of),
    });
    if (leased === undefined) throw new Error('there is such an erasure, and nobody has it');
    const times = { leaseMs: 20_000, renewMs: 5_000 };
    const hold = new Hold({ clock, tables }, erasureWorkTable, leased, { times });
    try {
      await carryOutErasure(ports, hold, reached);
    } finally {
      await hold.giveBack({ isTried: false });
    }
    return ports.signed.requireRequest(placeOf(of));
  }

  return {
    approved: (of: Pick<PrivacyRequest, 'requestId'>, by = person('officer')) =>
      approveErasure(ports, { by, requestId: of.requestId }),
    carryOut,
    /** Whether the text stands in any event of the chain, open parts included. */
    async isInChain(text: string): Promise<boolean> {
      const chainId = chainOf(tenantId);
      const events = await process.storage.audit.readEvents({ chainId, fromSeq: 1, limit: 1_000 });
      return events.some(({ body, open = '' }) => `${body}${open}`.includes(text));
    },
    move: (ms: number) => {
      aheadMs += ms;
    },
    person,
    planned,
    ports,
    work: (of: Pick<PrivacyRequest, 'requestId'>) =>
      process.storage.tables.find(erasureWorkTable, placeOf(of)),
  };
}
