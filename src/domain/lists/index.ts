/** Lists: normalised entities, versions, signed bundles, publication. */
export * from './entity.ts';
export * from './ports.ts';
