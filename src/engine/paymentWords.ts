/**
 * Words that stand beside names in payments and are no part of them, in English and French: a name
 * of common words between such words is whole, and one beside any other word may be half of
 * somebody else's.
 */
const WORDS =
  'a about acc account acct address advance afin after against agent aid allowance also ' +
  'amount an and annual any are as at attention attn au aux avance avec avoir back balance ' +
  'bank banque be been before behalf being ben benef beneficiary between bill bills bnf by ' +
  'c care ce cet cette charge charges cheque chez cie clearing client co code commande ' +
  'commission compte concerning confirmed consignee contract contrat cost cover credit ' +
  'customer d date dated dd de dear debit delivered delivery deposit dept des destinataire ' +
  'divers diverse diverses donation dont dossier dr du due duty each echeance en enclosed ' +
  'et eur expedie expense expenses export facture factures favor favour fee fees final fob ' +
  'for fournisseur fourniture frais freight from full further gbp goods gros half have ' +
  'hereby hire i id import in inc incl including inst instalment instruction insurance int ' +
  'interest inv invoice invoices is it item items je l la le les letter license livraison ' +
  'livre loan loyer m maintenance marchandise marchandises materials me memo merci mise ' +
  'mois month monthly my n net no non note nr number o of on only open operation or order ' +
  'ordre other ou our p paid paiement par part parts pay payable payee payer paying payment ' +
  'payments pension per phone pl please po pour premium previous prime prix product ' +
  'products proforma project purchase purchases purpose qty r rcvd re receipt received recu ' +
  'ref reference regarding reglement reimbursement remittance rent rental repair rfb s ' +
  'salaire salary sale sales sent service services settlement shipment shipped shipping ' +
  'sign solde spare sub subject subscription supplier supplies supply sur t tax thank ' +
  'thanks that the their this through to toward towards transaction transfer tuition tva ' +
  'unit upon us usd value vat versement via vir virement vos votre was we week weekly were ' +
  'wire with without work x year yearly you your';
const PAYMENT_WORDS: ReadonlySet<string> = new Set(WORDS.split(' '));

/** Whether a folded word is one of them. */
export const isPaymentWord = (word: string): boolean => PAYMENT_WORDS.has(word);
