/** The public events of all slices, by their names. Loaded by the first who wants them. */
import assert from 'node:assert/strict';
import type { PublicEvent } from '#core/kernel';
import type { SliceProcess } from '../slices/processes.ts';
import type { Slice } from '../slices/slice.ts';
import { SLICES } from './slices.ts';

let loaded: Promise<readonly PublicEvent<SliceProcess>[]> | undefined;

/** Throws where two slices declare one name. */
export function loadPublicEvents(): Promise<readonly PublicEvent<SliceProcess>[]> {
  loaded ??= load(SLICES);
  return loaded;
}

async function load(slices: readonly Slice[]): Promise<readonly PublicEvent<SliceProcess>[]> {
  const parts = await Promise.all(slices.flatMap(({ publicEvents }) => publicEvents?.() ?? []));
  const events = parts.flatMap(({ publicEvents }) => publicEvents);
  const names = events.map(({ name }) => name);
  for (const name of names) {
    assert(names.indexOf(name) === names.lastIndexOf(name), `${name} is declared twice`);
  }
  return events.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
