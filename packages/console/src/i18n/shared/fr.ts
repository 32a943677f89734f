/** French, of what several areas or pages share. */
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
  filtersNotKept:
    'Ce navigateur ne laisse rien conserver à la console : les filtres ne sont pas gardés.',
  removeFilter: 'Retirer {name}',
  writtenBy: 'Rédigé par',
  effectiveAt: 'Effet',
  colUpdated: 'Dernière modification',
  editDraft: 'Modifier',
  savedDraft: 'Enregistré.',
  asTable: 'En tableau',
  justification: 'Pourquoi',
  signatureRole: 'Rôle',
  signedBy: 'Signé par',
};
