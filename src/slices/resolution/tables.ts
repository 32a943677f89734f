/** What is stored of resolutions: which blob each one is, and of which lists. */
import { table } from '#core/kernel';
import type { ResolutionPointer } from './ports.ts';

/**
 * Every resolution that was ever in force, numbered from 1; the latest one counts. They stay, since
 * events name their blobs. The stamp is that of the lists' tables: gateways poll one number for
 * both.
 */
export const resolutionTable = table<ResolutionPointer, 'version'>('list_resolution', {
  key: ['version'],
  chain: 'any',
  stamp: { fields: [], name: 'publications' },
  writes: 'appendOnly',
  blobs: ({ blob }) => [blob],
  personal: {
    apart: { purpose: 'screening: which listed persons were found to be two by a person' },
  },
  // As slices/lists/tables.ts has it, which only the slice's surface could hand on.
  stored: {
    stamp: {
      mongo: 'publications',
      sqlite: { column: 'publications', table: 'publication_counter' },
    },
  },
});
