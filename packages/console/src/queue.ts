/** The alerts that a person goes through, in the order of the list that they came from. */
let orderOf = (): readonly string[] => [];

/** `order` is asked when it is needed: a list of many thousands grows while it is read. */
export const keepQueue = (order: () => readonly string[]): void => {
  orderOf = order;
};

/** What follows an alert; undefined at the end, and for one that stands in no list. */
export const nextInQueue = (alertId: string): string | undefined => {
  const order = orderOf();
  const at = order.indexOf(alertId);
  return at < 0 ? undefined : order[at + 1];
};
