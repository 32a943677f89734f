/** How the guide's index takes words: the same where it is made, and where it is searched. */
export const INDEX = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'url'],
  /** `Données` is found by `donnees`; words of a letter find nothing worth reading. */
  processTerm: (word) => {
    const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    return plain.length > 1 ? plain : undefined;
  },
};
