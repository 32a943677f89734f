/** Lists: normalised entities, versions, signed bundles, publication. */
export * from './countries.ts';
export * from './entity.ts';
export * from './ports.ts';
export * from './reader.ts';
