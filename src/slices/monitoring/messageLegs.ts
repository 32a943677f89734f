/**
 * What a message between banks means for the tenant: it tells of a payment, not of an account. The
 * tenant's own BICs and IBANs say whose money moved. Where both sides are its own, one message is
 * two transactions; where neither is, the tenant only passes the payment on.
 */
import type { Draft } from './pathTree.ts';
import type { Agent, Direction, Party, ReadingContext } from './transaction.ts';

const BIC8 = 8;

/** BICs of 8 and 11 characters are compared on 8. */
export const bic8 = (bic: string): string => bic.slice(0, BIC8);

interface Sides {
  readonly debtor?: Party;
  readonly creditor?: Party;
  readonly debtor_agent?: Agent;
  readonly creditor_agent?: Agent;
}

/** The draft with direction and account, once for each account of the tenant. */
export function legsOf(draft: Draft, context: ReadingContext): readonly Draft[] {
  const { creditor, creditor_agent, debtor, debtor_agent } = draft as Sides;
  const isDebit = isOwn(debtor_agent, debtor, context);
  const isCredit = isOwn(creditor_agent, creditor, context);
  if (isDebit && isCredit) {
    return (['debit', 'credit'] as const).map((direction) => ({
      ...leg(draft, direction),
      tx_id: `${draft.tx_id}/${direction}`,
    }));
  }
  return [leg(draft, isDebit ? 'debit' : isCredit ? 'credit' : 'transit')];
}

function isOwn(agent: Agent | undefined, party: Party | undefined, own: ReadingContext): boolean {
  if (agent?.bic !== undefined && own.ownBics.has(bic8(agent.bic))) return true;
  const iban = party?.account?.iban;
  return iban !== undefined && own.ownIbans.some((beginning) => iban.startsWith(beginning));
}

function leg(draft: Draft, direction: Direction): Draft {
  const { creditor, debtor } = draft as Sides;
  const { account } = (direction === 'credit' ? creditor : debtor) ?? {};
  const id = account?.iban ?? account?.other ?? account?.proxy;
  if (id !== undefined) return { ...draft, account_id: id, direction };
  // An id of its own: accounts that nobody named are not one account.
  const quality = [...((draft.quality ?? []) as readonly string[]), 'account-missing'];
  return { ...draft, account_id: `none:${draft.tx_id}`, direction, quality };
}

/** Codes for what the sender left out of the two sides. */
export function qualityOfSides(draft: Draft): string[] {
  const { creditor, debtor } = draft as Sides;
  return [
    ...(debtor?.name === undefined ? ['debtor-name-missing'] : []),
    ...(creditor?.name === undefined ? ['creditor-name-missing'] : []),
    ...([debtor, creditor].some(hasLinesAlone) ? ['address-lines-only'] : []),
    ...([debtor, creditor].some(hasWrongIban) ? ['iban-check-digits'] : []),
  ];
}

const hasLinesAlone = (party: Party | undefined): boolean =>
  party?.address?.lines !== undefined &&
  party.address.town === undefined &&
  party.address.country === undefined;

const hasWrongIban = (party: Party | undefined): boolean =>
  party?.account?.iban !== undefined && !isIban(party.account.iban);

const IBAN = /^[A-Z]{2}\d{2}[A-Za-z0-9]{10,30}$/;

/** Whether it has the form of an IBAN, and its check digits are right (ISO 13616, modulo 97). */
export function isIban(text: string): boolean {
  if (!IBAN.test(text)) return false;
  let rest = 0;
  for (const sign of `${text.slice(4)}${text.slice(0, 4)}`) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
