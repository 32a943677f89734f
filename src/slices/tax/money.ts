/** Amounts are decimals with exactly two places, as the reports have them: compared as integers. */

/** An amount that is not negative. */
export const AMOUNT = /^(?:0|[1-9][0-9]{0,17})\.[0-9]{2}$/;

const cents = (amount: string): bigint => BigInt(amount.replace('.', ''));

/** Whether the amount is more than the floor: a balance of just the floor is below it. */
export const isAbove = (amount: string, floor: string): boolean => cents(amount) > cents(floor);
