/** The alerts that a person goes through, in the order of the list that they came from. */
let order: readonly string[] = [];

export const keepQueue = (alertIds: readonly string[]): void => {
  order = alertIds;
};

/** What follows an alert; undefined at the end, and for one that stands in no list. */
export const nextInQueue = (alertId: string): string | undefined => {
  const at = order.indexOf(alertId);
  return at < 0 ? undefined : order[at + 1];
};
