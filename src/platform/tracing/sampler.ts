/** Which traces are exported, by the standard's samplers. Failed ones are, unless it is off. */

export interface Sampler {
  /** Share of traces, 0..1. */
  readonly ratio: number;
  /** A caller that is known to us may have its trace exported. */
  readonly followsParent: boolean;
  /** Nothing is exported, failures neither. */
  readonly isOff: boolean;
}

export const SAMPLERS = [
  'parentbased_traceidratio',
  'traceidratio',
  'parentbased_always_on',
  'always_on',
  'parentbased_always_off',
  'always_off',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const followsParent = name.startsWith('parentbased_');
  if (name.endsWith('always_on')) return { followsParent, isOff: false, ratio: 1 };
  if (name.endsWith('always_off')) return { followsParent, isOff: !followsParent, ratio: 0 };
  return { followsParent, isOff: false, ratio };
}

const DIGITS = 13;

/** A place in [0, 1) by the last digits of a random id. */
export const shareOf = (id: string): number =>
  Number.parseInt(id.slice(-DIGITS), 16) / 16 ** DIGITS;
