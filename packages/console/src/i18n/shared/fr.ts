/** French, of what several pages of administration share. */
import type { sharedEn } from './en.ts';

export const sharedFr: Readonly<Record<keyof typeof sharedEn, string>> = {
  sameContent: 'Rien ne diffère.',
  colMember: 'Membre',
  waitsForSignatures: 'Les signatures sont demandées : voir la demande.',
  askSignatures: 'Demander les signatures',
  coming: '…',
  savedFilters: 'Filtres enregistrés',
  saveFilters: 'Enregistrer ces filtres',
  filterName: 'Nom des filtres',
  removeFilter: 'Retirer {name}',
  writtenBy: 'Rédigé par',
};
