/**
 * All forms whose letters allow a Jaro similarity of at least `jaro` with some name of the query:
 * the safety net under the token search on lists of up to SWEEP_FORMS_MAX forms, so that no
 * spelling, however it is split or misspelt, is lost. Forms lie by length with their letter
 * signatures side by side, so a form costs a few nanoseconds, and most lengths are ruled out whole.
 */
import { nameBound } from './componentScores.ts';
import type { Deadline } from './deadline.ts';
import type { PreparedQuery, QueryName } from './preparedQuery.ts';
import { matchesRequired, popcount } from './signature.ts';
import type { Snapshot } from './snapshotFormat.ts';

/** Forms of the largest list that is swept: about a millisecond of one thread. */
export const SWEEP_FORMS_MAX = 250_000;

/** Forms whose letters are compared in the time of one comparison of names. */
const FORMS_PER_UNIT = 16;

/** What a sweep is for. */
interface SweepAsk {
  /** Jaro similarity that the letters of a form must allow; above 1: none can. */
  readonly jaro: number;
  readonly deadline: Deadline;
  readonly found: (form: number) => void;
}

function sweepName(list: Snapshot, name: QueryName, ask: SweepAsk): void {
  const { jaro, deadline, found } = ask;
  for (let length = 1; length + 1 < list.sweepStart.length; length++) {
    const start = list.sweepStart[length] ?? 0;
    const end = list.sweepStart[length + 1] ?? 0;
    if (start === end) continue;
    const matches = matchesRequired(jaro, name.length, length);
    if (matches > Math.min(name.length, length)) continue;
    deadline.spend((end - start) / FORMS_PER_UNIT);
    sweepLength(
      list,
      name,
      { start, end, missesMax: name.length - matches, formMissesMax: length - matches },
      found,
    );
  }
}

function sweepLength(
  list: Snapshot,
  name: QueryName,
  slice: { start: number; end: number; missesMax: number; formMissesMax: number },
  found: (form: number) => void,
): void {
  const { start, end, missesMax, formMissesMax } = slice;
  const { once, twice } = name;
  for (let at = start; at < end; at++) {
    const formOnce = list.sweepOnce[at] ?? 0;
    const missed = popcount(once & ~formOnce);
    if (missed > missesMax) continue;
    const formMissed = popcount(formOnce & ~once);
    if (formMissed > formMissesMax) continue;
    const formTwice = list.sweepTwice[at] ?? 0;
    if (missed + popcount(twice & ~formTwice) > missesMax) continue;
    if (formMissed + popcount(formTwice & ~twice) > formMissesMax) continue;
    found(list.sweepForm[at] ?? 0);
  }
}

/** Calls `found` with every form that may reach `jaro`, of one query name after the other. */
export function sweepForms(list: Snapshot, query: PreparedQuery, ask: SweepAsk): void {
  if (ask.jaro > 1) return;
  for (const name of query.names) sweepName(list, name, ask);
}

/** Whether any of an entity's forms may reach a Jaro-Winkler of `required`. */
export function mayReach(
  list: Snapshot,
  query: PreparedQuery,
  ask: { readonly entity: number; readonly required: number; readonly jaro: number },
): boolean {
  const end = list.entityFirstForm[ask.entity + 1] ?? 0;
  for (let form = list.entityFirstForm[ask.entity] ?? 0; form < end; form++) {
    const length = list.formLength[form] ?? 0;
    const once = list.formOnce[form] ?? 0;
    for (const name of query.names) {
      const matches = matchesRequired(ask.jaro, name.length, length);
      if (popcount(name.once & ~once) > name.length - matches) continue;
      if (popcount(once & ~name.once) > length - matches) continue;
      if (nameBound(name, list, form) >= ask.required) return true;
    }
  }
  return false;
}
