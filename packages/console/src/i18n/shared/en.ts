/** English, of what several pages of administration share. */
export const sharedEn = {
  sameContent: 'Nothing differs.',
  colMember: 'Member',
  waitsForSignatures: 'Signatures are asked for: see the request.',
  askSignatures: 'Ask for the signatures',
  coming: '…',
  savedFilters: 'Saved filters',
  saveFilters: 'Save these filters',
  filterName: 'Name of the filters',
  removeFilter: 'Remove {name}',
  writtenBy: 'Written by',
} as const;
