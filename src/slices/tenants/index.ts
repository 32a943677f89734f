/** Tenants, their keys and persons, as an administrator sees them. */
export { createAdministration } from './administration.ts';
