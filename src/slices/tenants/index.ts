/** Tenants, their keys and persons, as an administrator sees them. */
export { type Administration, createAdministration } from './administration.ts';
