/**
 * That a person read a case is an entry, at most one an hour for each person and case. It names the
 * record as it was read, and is written under its version: the last entry of a case always says
 * what the record is.
 */
import { type Actor, overwrite } from '#core/audit';
import { chainOf } from '#core/kernel';
import { type CasePlace, kycEntry, requireCase } from './caseRecord.ts';
import { VIEW_MS } from './limits.ts';
import type { CasePorts } from './ports.ts';
import { caseTarget } from './signedCases.ts';
import { type CaseRecord, caseTable } from './tables.ts';

/** Who looked at what, and when that was written down. */
const LOOKS_MAX = 10_000;

/** One for a process: the looks that it has written down lately. */
export class RecentViews {
  readonly #at = new Map<string, number>();

  /** Whether this look is to be written down; it counts as written from now on. */
  isNew(actor: string, caseId: string, now: number): boolean {
    const key = `${actor} ${caseId}`;
    const last = this.#at.get(key);
    if (last !== undefined && now - last < VIEW_MS) return false;
    this.#at.delete(key);
    this.#at.set(key, now);
    const [oldest] = this.#at.keys();
    if (this.#at.size > LOOKS_MAX && oldest !== undefined) this.#at.delete(oldest);
    return true;
  }
}

/** The case, once it is written down who read it. Throws `case-unknown`. */
export function viewCase(
  ports: CasePorts & { readonly views: RecentViews },
  ask: CasePlace & { readonly actor: Actor; readonly ip?: string; readonly isPerson: boolean },
): Promise<CaseRecord> {
  return overwrite(async () => {
    const record = await requireCase(ports, ask);
    const { actor, ip, isPerson } = ask;
    if (!isPerson || !ports.views.isNew(actor, record.caseId, ports.clock.now())) return record;
    const { caseId, tenantId, version } = record;
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [caseTable.expect({ caseId, tenantId }, { version })],
      events: [
        kycEntry(ports, {
          action: 'kyc.case.viewed',
          actor,
          ip,
          kind: 'case',
          record,
          target: caseTarget(record),
        }),
      ],
    });
    return record;
  });
}
