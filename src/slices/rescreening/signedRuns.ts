/**
 * Runs, how far customers are compared, and what was found of them, compared with the entries that
 * made them. A run that is not what was signed ends; where customers are said to be compared and no
 * entry says so, everybody is screened whole; and a finding that nobody signed keeps nothing quiet.
 */
import type { JsonRecord } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { FINDINGS_HELD_MAX } from './limits.ts';
import type { SignedEntries } from './signedEntries.ts';
import type { Coverage, RescreeningRun, Sighting } from './tables.ts';
import { ToldFindings, type ToldSighting } from './toldFindings.ts';

/** SHA-256 hex over what the next run begins with; that it was told as late has its own entry. */
export function coverageDigest({ lateSince: _, version: __, ...held }: Coverage): string {
  return sha256Hex(`rescreening-coverage-v1\0${canonicalJson(held)}`);
}

/** SHA-256 hex over all that decides about a run from its beginning on. */
export function runDigest(run: RescreeningRun): string {
  const { after: _, counts: __, endedAt: ___, failure: ____, status: _____, ...held } = run;
  const { version: ______, ...begun } = held;
  return sha256Hex(`rescreening-run-v1\0${canonicalJson(begun)}`);
}

/** SHA-256 hex over a finding as it stands. */
export function sightingDigest({ version: _, ...held }: Sighting): string {
  return sha256Hex(`rescreening-sighting-v1\0${canonicalJson(held)}`);
}

/** What entries of a chunk say of its findings. */
export const toldSightings = (sightings: readonly Sighting[]): readonly ToldSighting[] =>
  sightings.map((one) => ({
    digest: sightingDigest(one),
    id: one.sightingId,
    isCurrent: one.isCurrent,
  }));

/** Why the row is not what its last entry made it; undefined where it is. */
export async function coverageRefusal(
  entries: SignedEntries,
  coverage: Coverage,
): Promise<string | undefined> {
  const { coveredAt, tenantId } = coverage;
  let last: JsonRecord | undefined;
  const fromSeq = coveredAt === undefined ? 1 : await entries.since(tenantId, coveredAt);
  for (const from of fromSeq > 1 ? [fromSeq, 1] : [1]) {
    const of = { action: 'SANCTIONS_RESCREENING_COMPLETED', fromSeq: from } as const;
    for await (const { entry } of entries.read(tenantId, of))
      if (entry.mode !== 'new') last = entry;
    if (last !== undefined) break;
  }
  if (last === undefined) {
    return coveredAt === undefined ? undefined : 'no entry tells of a run over all customers';
  }
  if (last.coverage_digest === coverageDigest(coverage)) return undefined;
  // Entries of a former release tell the versions alone.
  const isFormer = last.coverage_digest === undefined;
  if (isFormer && last.list_version === coverage.listVersion) return undefined;
  return `the entry seq ${last.seq} tells of another run`;
}

/** Why a run is not what its entries made it; undefined where it is. */
export async function runRefusal(
  entries: SignedEntries,
  run: RescreeningRun,
): Promise<string | undefined> {
  const { counts, runId, tenantId } = run;
  const fromSeq = await entries.since(tenantId, run.startedAt);
  const find = async (action: `SANCTIONS_${string}`) => {
    const found: JsonRecord[] = [];
    for await (const { entry } of entries.read(tenantId, { action, fromSeq })) {
      if (entry.run_id === runId) found.push(entry);
    }
    return found;
  };
  const [started] = await find('SANCTIONS_RESCREENING_STARTED');
  if (started === undefined) return 'no entry tells of its beginning';
  // Entries of a former release tell mode and versions alone.
  const digest = started.run_digest ?? runDigest(run);
  if (digest !== runDigest(run)) return `it did not begin as its record says: seq ${started.seq}`;
  const chunks = await find('SANCTIONS_RESCREENED');
  const customers = chunks.reduce((sum, entry) => sum + Number(entry.customers), 0);
  const last = chunks.at(-1);
  // Entries of a former release do not tell the last customer.
  const isAsFar =
    last === undefined ? run.after === undefined : (last.to ?? run.after) === run.after;
  if (chunks.length === counts.chunks && customers === counts.customers && isAsFar) {
    return undefined;
  }
  return `its entries tell of ${chunks.length} chunks and ${customers} customers`;
}

/** Findings of tenants, as their entries tell them; one for a process. */
export class SignedSightings {
  readonly #entries: SignedEntries;
  readonly #heldMax: number;
  readonly #tenants = new Map<TenantId, TenantSightings>();

  constructor(entries: SignedEntries, heldMax = FINDINGS_HELD_MAX) {
    this.#entries = entries;
    this.#heldMax = heldMax;
  }

  /** As of the last commit before the call; not `isLatest`: as they were read before, if ever. */
  async of(
    tenantId: TenantId,
    { isLatest = true } = {},
  ): Promise<Pick<TenantSightings, 'refuses' | 'told'>> {
    const before = this.#tenants.get(tenantId);
    if (before !== undefined && !isLatest) return before;
    const known = before ?? new TenantSightings(this.#entries, tenantId);
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, known);
    await known.readOn();
    this.#letGo();
    return known;
  }

  /** Those of tenants that were asked for longest ago are read anew when they are. */
  #letGo(): void {
    let held = [...this.#tenants.values()].reduce((sum, { told }) => sum + told.count, 0);
    for (const [tenantId, { told }] of this.#tenants) {
      if (held <= this.#heldMax || this.#tenants.size === 1) return;
      this.#tenants.delete(tenantId);
      held -= told.count;
    }
  }
}

class TenantSightings {
  readonly told = new ToldFindings();
  readonly #entries: SignedEntries;
  readonly #tenantId: TenantId;
  /** Entries of a former release did not tell what they found. */
  #hasFormer = false;
  #seq = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(entries: SignedEntries, tenantId: TenantId) {
    this.#entries = entries;
    this.#tenantId = tenantId;
  }

  /** One at a time; each call sees what was committed before it. */
  readOn(): Promise<void> {
    const reading = this.#reading.then(() => this.#readOn());
    this.#reading = reading.catch(() => undefined); // its own caller gets the error
    return reading;
  }

  /** Whether the row is not what its last entry made it. */
  refuses(sighting: Sighting): boolean {
    const { sightingId } = sighting;
    if (this.told.placeOf(sightingId) === undefined) return !this.#hasFormer;
    return !this.told.isDigest(sightingId, sightingDigest(sighting));
  }

  async #readOn(): Promise<void> {
    const of = { action: 'SANCTIONS_RESCREENED', fromSeq: this.#seq + 1 } as const;
    for await (const { entry, seq } of this.#entries.read(this.#tenantId, of)) {
      const { found, gone, sightings } = entry;
      if (sightings === undefined && Number(found) + Number(gone) > 0) this.#hasFormer = true;
      for (const one of (sightings ?? []) as unknown as readonly ToldSighting[])
        this.told.take(one);
      this.#seq = seq;
    }
  }
}
