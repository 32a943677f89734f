/** How much of a group the changes and outgoing events of a commit take up. */
import type { TableChange } from '#core/kernel';
import type { Commit } from './ports.ts';

/** Characters as they are stored, about: evidence is counted by its own bodies. */
export function effectsSize({ bus, changes }: Pick<Commit, 'bus' | 'changes'>): number {
  const stored = [...bus.map(({ payload }) => payload), ...changes];
  return stored.reduce((sum, effect) => sum + JSON.stringify(effect).length, 0);
}

/** Appended rows are never stale, so that their commits may share a group with others. */
export function mayShareGroup({ changes }: Pick<Commit, 'changes'>): boolean {
  return changes.every(isAppend);
}

const isAppend = ({ op }: TableChange): boolean => op === 'append';
