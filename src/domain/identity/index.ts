/** Tenants, API keys, persons and roles. */
export * from './ports.ts';
