/**
 * Registries of companies. Read in this order: identifiers, company, tables, signedRegistries →
 * readExtract, extractParts, importRegistry, fileRegistry → registryConfig, httpRegistry,
 * demoRegistry → lookUp, lookUpForCase, eraseLookups.
 */
export * from './company.ts';
export * from './demoRegistry.ts';
export * from './eraseLookups.ts';
export * from './fileRegistry.ts';
export * from './httpRegistry.ts';
export * from './identifiers.ts';
export * from './importRegistry.ts';
export * from './limits.ts';
export * from './lookUp.ts';
export * from './lookUpForCase.ts';
export * from './ports.ts';
export * from './readExtract.ts';
export * from './registryConfig.ts';
export * from './signedRegistries.ts';
export * from './tables.ts';
