/**
 * Notes of alerts are compared with the chain (decision 3.1b): each has an entry. A note that was
 * changed or written past the service is refused where notes are shown; `doctor` and `audit verify
 * --state` find those that were taken away, too.
 */
import {
  type Erasures,
  entryPages,
  findEntryNear,
  type JsonRecord,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { targetOf } from './alert.ts';
import type { ReadNote } from './ports.ts';
import type { SignedAlertPorts } from './signedAlerts.ts';
import { type AlertNote, alertNoteTable } from './tables.ts';

export const NOTED_ACTION = 'aml.alert.noted';
/** An answer compares many notes, each by entries of about its time. */
const ENTRIES_A_PAGE = 20;

/** SHA-256 hex of a note without its text: that is free text, and stands in what can be erased. */
export const noteDigest = ({ text: _, ...decisive }: AlertNote): string =>
  sha256Hex(`alert-note-v1\0${canonicalJson(decisive)}`);

/** What the entry that made a note says, signed; undefined where none has made it. */
export async function readNote(
  {
    audit,
    erasures,
    keyRing,
  }: SignedAlertPorts & { readonly erasures: Pick<Erasures, 'isErased'> },
  note: AlertNote,
): Promise<ReadNote | undefined> {
  const chainId = chainOf(note.tenantId);
  const found = await findEntryNear(audit, chainId, {
    action: NOTED_ACTION,
    entriesAPage: ENTRIES_A_PAGE,
    isIt: (event) => storedMembers(event).note_id === note.noteId,
    near: note.at,
  });
  const entry = found && verifiedEvent(found, { chainId, keyRing });
  if (found === undefined || entry === undefined || !isTold(note, entry)) return undefined;
  const text = textIn(entry);
  if (text !== undefined) return { text };
  // The open part stands beside the hash: gone it may only be where an entry has erased it.
  return (await erasures.isErased(chainId, found.seq)) ? {} : undefined;
}

function textIn({ details }: JsonRecord): string | undefined {
  const { text } = (details ?? {}) as { readonly text?: string };
  return text;
}

function isTold(note: AlertNote, entry: JsonRecord): boolean {
  const { actor, note_digest, note_id, target } = entry;
  const text = textIn(entry);
  return (
    note_id === note.noteId &&
    target === targetOf(note) &&
    actor === note.by &&
    // Entries of a former release have no digest; details may have been erased.
    (note_digest ?? noteDigest(note)) === noteDigest(note) &&
    (text === undefined || note.text === undefined || text === note.text)
  );
}

/** What is wrong with the notes of a tenant, in words; entries that are not signed are told. */
export async function checkNotes(
  { audit, keyRing, tables }: SignedAlertPorts & { readonly tables: Pick<Tables, 'page'> },
  tenantId: TenantId,
): Promise<readonly string[]> {
  const chainId = chainOf(tenantId);
  const told = new Map<string, JsonRecord>();
  const refusals: string[] = [];
  for await (const page of entryPages(audit, { action: NOTED_ACTION, chainId, fromSeq: 1 })) {
    for (const event of page) {
      const entry = verifiedEvent(event, { chainId, keyRing });
      if (entry === undefined) refusals.push(`entry seq ${event.seq}: it is not what was signed`);
      else told.set(String(entry.note_id), entry);
    }
  }
  for await (const note of everyRecord(tables, alertNoteTable, {
    equal: { tenantId },
    index: 'key',
  })) {
    const entry = told.get(note.noteId);
    told.delete(note.noteId);
    if (entry !== undefined && isTold(note, entry)) continue;
    refusals.push(`note ${note.noteId} of alert ${note.alertId}: it is not what its entry made it`);
  }
  return [...refusals, ...[...told.keys()].map((id) => `note ${id}: its record is gone`)];
}
