/**
 * Where each element of pacs.008 goes in the canonical transaction: one table for all versions,
 * since a path that a version does not have simply never comes. A test holds the table to the
 * schemas: every path of every version is here, or in KEPT_RAW.
 *
 * A target is a path in the draft. `name[]` adds the text to a list, `name+` begins an element of
 * a list and `name.-1` is the one begun last, `name+CODE` adds `{scheme: CODE, id: text}`,
 * `name,` joins texts by a comma, and `name=word` is that word whatever the element holds. Of two
 * texts for one name the first stays.
 */

/** A path below its parent, and where its text goes. */
export type PathRow = readonly [path: string, target: string];

const ADDRESS: readonly PathRow[] = [
  ['Ctry', 'country'],
  ['AdrLine', 'lines[]'],
  ['StrtNm', 'street'],
  ['BldgNb', 'building'],
  ['PstCd', 'post_code'],
  ['TwnNm', 'town'],
  ['CtrySubDvsn', 'subdivision'],
  ...[
    'CareOf',
    'Dept',
    'SubDept',
    'BldgNm',
    'Flr',
    'UnitNb',
    'PstBx',
    'Room',
    'TwnLctnNm',
    'DstrctNm',
  ].map((name): PathRow => [name, 'lines[]']),
];

/** Identifications that version .01 has an element of its own for. */
const NAMED_IDS: readonly PathRow[] = [
  ...['IBEI', 'BEI', 'EANGLN', 'USCHU', 'DUNS', 'BkPtyId', 'TaxIdNb'].map(
    (name): PathRow => [`OrgId/${name}`, `ids+${name}`],
  ),
  ...[
    'DrvrsLicNb',
    'CstmrNb',
    'SclSctyNb',
    'AlnRegnNb',
    'PsptNb',
    'TaxIdNb',
    'IdntyCardNb',
    'MplyrIdNb',
  ].map((name): PathRow => [`PrvtId/${name}`, `ids+${name}`]),
  ['OrgId/PrtryId', 'ids+'],
  ['OrgId/PrtryId/Id', 'ids.-1.id'],
  ['OrgId/PrtryId/Issr', 'ids.-1.issuer'],
  ['PrvtId/OthrId', 'ids+'],
  ['PrvtId/OthrId/Id', 'ids.-1.id'],
  ['PrvtId/OthrId/IdTp', 'ids.-1.scheme'],
  ['PrvtId/Issr', 'ids.-1.issuer'],
];

const IDS: readonly PathRow[] = [
  ['OrgId', 'type=organisation'],
  ['PrvtId', 'type=person'],
  ['OrgId/BIC', 'bic'],
  ['OrgId/BICOrBEI', 'bic'],
  ['OrgId/AnyBIC', 'bic'],
  ['OrgId/LEI', 'lei'],
  ...NAMED_IDS,
  ...['OrgId', 'PrvtId'].flatMap((kind): PathRow[] => [
    [`${kind}/Othr`, 'ids+'],
    [`${kind}/Othr/Id`, 'ids.-1.id'],
    [`${kind}/Othr/SchmeNm/Cd`, 'ids.-1.scheme'],
    [`${kind}/Othr/SchmeNm/Prtry`, 'ids.-1.scheme'],
    [`${kind}/Othr/Issr`, 'ids.-1.issuer'],
  ]),
  ['PrvtId/DtAndPlcOfBirth/BirthDt', 'dob'],
  ['PrvtId/DtAndPlcOfBirth/CityOfBirth', 'birth_place,'],
  ['PrvtId/DtAndPlcOfBirth/PrvcOfBirth', 'birth_place,'],
  ['PrvtId/DtAndPlcOfBirth/CtryOfBirth', 'birth_place,'],
];

const PARTY: readonly PathRow[] = [
  ['Nm', 'name'],
  ['CtryOfRes', 'country_of_residence'],
  ...under('PstlAdr', 'address', ADDRESS),
  ...IDS.map(([path, target]): PathRow => [`Id/${path}`, target]),
];

const ACCOUNT: readonly PathRow[] = [
  ['Id/IBAN', 'account.iban'],
  ['Id/Othr/Id', 'account.other'],
  ['Id/Othr/SchmeNm/Cd', 'account.scheme'],
  ['Id/Othr/SchmeNm/Prtry', 'account.scheme'],
  ['Id/BBAN', 'account.other'],
  ['Id/UPIC', 'account.other'],
  ['Id/PrtryAcct/Id', 'account.other'],
  ['Prxy/Id', 'account.proxy'],
];

const AGENT: readonly PathRow[] = ['', 'CmbndId/', 'NmAndAdr/'].flatMap((form): PathRow[] => [
  [`FinInstnId/${form}BIC`, 'bic'],
  [`FinInstnId/${form}BICFI`, 'bic'],
  [`FinInstnId/${form}Nm`, 'name'],
  [`FinInstnId/${form}LEI`, 'lei'],
  [`FinInstnId/${form}ClrSysMmbId/ClrSysId/Cd`, 'clearing.system'],
  [`FinInstnId/${form}ClrSysMmbId/ClrSysId/Prtry`, 'clearing.system'],
  [`FinInstnId/${form}ClrSysMmbId/MmbId`, 'clearing.member'],
  [`FinInstnId/${form}ClrSysMmbId/Id`, 'clearing.member'],
  [`FinInstnId/${form}ClrSysMmbId/Prtry`, 'clearing.member'],
  [`FinInstnId/${form}PrtryId/Id`, 'clearing.member'],
  [`FinInstnId/${form}PrtryId/Issr`, 'clearing.system'],
  [`FinInstnId/${form}Othr/Id`, 'clearing.member'],
  [`FinInstnId/${form}Othr/SchmeNm/Cd`, 'clearing.system'],
  [`FinInstnId/${form}Othr/SchmeNm/Prtry`, 'clearing.system'],
  [`FinInstnId/${form}PstlAdr/Ctry`, 'country'],
]);

const AGENT_ACCOUNT: readonly PathRow[] = ACCOUNT.filter(
  ([, target]) => target === 'account.iban' || target === 'account.other',
).map(([path]) => [path, 'account']);

/** Elements of an agent and of its account. */
const agent = (element: string, target: string): PathRow[] => [
  ...under(element, target, AGENT),
  ...under(`${element}Acct`, target, AGENT_ACCOUNT),
];
const listed = (element: string, list: string): PathRow[] => [
  [element, `${list}+`],
  ...agent(element, `${list}.-1`),
];

const TYPE_OF_PAYMENT: readonly PathRow[] = [
  ['SvcLvl/Cd', 'references.service_level'],
  ['SvcLvl/Prtry', 'references.service_level'],
  ['LclInstrm/Cd', 'product'],
  ['LclInstrm/Prtry', 'product'],
  ['CtgyPurp', 'category_purpose'],
  ['CtgyPurp/Cd', 'category_purpose'],
  ['CtgyPurp/Prtry', 'category_purpose'],
];

/** Elements of the group header, whose values hold for each transaction. */
export const GROUP_PATHS: readonly PathRow[] = [
  ['MsgId', 'references.message_id'],
  ['CreDtTm', 'created'],
  ['NbOfTxs', 'control.count'],
  ['CtrlSum', 'control.sum'],
  ['TtlIntrBkSttlmAmt', 'control.total'],
  ['IntrBkSttlmDt', 'value_date'],
  ...TYPE_OF_PAYMENT.map(([path, target]): PathRow => [`PmtTpInf/${path}`, target]),
  ['SttlmInf/SttlmMtd', 'references.settlement_method'],
  ...listed('SttlmInf/InstgRmbrsmntAgt', 'reimbursement'),
  ...listed('SttlmInf/InstdRmbrsmntAgt', 'reimbursement'),
  ...listed('SttlmInf/ThrdRmbrsmntAgt', 'reimbursement'),
  ...under('InstgAgt', 'instructing_agent', AGENT),
  ...under('InstdAgt', 'instructed_agent', AGENT),
];

/** Elements of one transaction. */
export const TRANSACTION_PATHS: readonly PathRow[] = [
  ['PmtId/InstrId', 'instruction_id'],
  ['PmtId/EndToEndId', 'end_to_end_id'],
  ['PmtId/TxId', 'references.tx_id'],
  ['PmtId/UETR', 'uetr'],
  ['PmtId/ClrSysRef', 'references.clearing'],
  ...TYPE_OF_PAYMENT.map(([path, target]): PathRow => [`PmtTpInf/${path}`, target]),
  ['IntrBkSttlmAmt', 'amount'],
  ['IntrBkSttlmAmt@Ccy', 'currency'],
  ['IntrBkSttlmDt', 'value_date'],
  ['SttlmTmIndctn/DbtDtTm', 'settled'],
  ['SttlmTmIndctn/CdtDtTm', 'settled'],
  ['AccptncDtTm', 'accepted'],
  ['AddtlDtTm/AccptncDtTm', 'accepted'],
  ['InstdAmt', 'instructed.amount'],
  ['InstdAmt@Ccy', 'instructed.currency'],
  ['XchgRate', 'exchange_rate'],
  ['AgrdRate/PreAgrdXchgRate', 'exchange_rate'],
  ['ChrgBr', 'charges.bearer'],
  ['ChrgsInf', 'charges.items+'],
  ['ChrgsInf/ChrgsAmt', 'charges.items.-1.amount'],
  ['ChrgsInf/ChrgsAmt@Ccy', 'charges.items.-1.currency'],
  ['ChrgsInf/Amt', 'charges.items.-1.amount'],
  ['ChrgsInf/Amt@Ccy', 'charges.items.-1.currency'],
  ...['', '1', '2', '3'].flatMap((number) => listed(`PrvsInstgAgt${number}`, 'previous')),
  ...under('InstgAgt', 'instructing_agent', AGENT),
  ...under('InstdAgt', 'instructed_agent', AGENT),
  ...['1', '2', '3'].flatMap((number) => listed(`IntrmyAgt${number}`, 'intermediaries')),
  ...under('UltmtDbtr', 'ultimate_debtor', PARTY),
  ...under('InitgPty', 'initiating', PARTY),
  ...under('Dbtr', 'debtor', PARTY),
  ...under('DbtrAcct', 'debtor', ACCOUNT),
  ...agent('DbtrAgt', 'debtor_agent'),
  ...agent('CdtrAgt', 'creditor_agent'),
  ...under('Cdtr', 'creditor', PARTY),
  ...under('CdtrAcct', 'creditor', ACCOUNT),
  ...under('UltmtCdtr', 'ultimate_creditor', PARTY),
  ['InstrForCdtrAgt/Cd', 'instructions[]'],
  ['InstrForCdtrAgt/InstrInf', 'instructions[]'],
  ['InstrForNxtAgt/Cd', 'instructions[]'],
  ['InstrForNxtAgt/InstrInf', 'instructions[]'],
  ['Purp/Cd', 'purpose'],
  ['Purp/Prtry', 'purpose'],
  ['RgltryRptg/Dtls/Tp', 'regulatory[]'],
  ['RgltryRptg/Dtls/Ctry', 'regulatory[]'],
  ['RgltryRptg/Dtls/Cd', 'regulatory[]'],
  ['RgltryRptg/Dtls/Inf', 'regulatory[]'],
  ['RgltryRptg/RgltryDtls/Cd', 'regulatory[]'],
  ['RgltryRptg/RgltryDtls/Inf', 'regulatory[]'],
  ['RmtInf/Ustrd', 'remittance[]'],
  ['RmtInf/Strd/RfrdDocInf/Nb', 'remittance[]'],
  ['RmtInf/Strd/RfrdDocInf/RfrdDocNb', 'remittance[]'],
  ['RmtInf/Strd/CdtrRefInf/CdtrRef', 'remittance[]'],
  ['RmtInf/Strd/CdtrRefInf/Ref', 'remittance[]'],
  ['RmtInf/Strd/AddtlRmtInf', 'remittance[]'],
];

/**
 * What is kept in the raw message alone, with all below it: nothing that monitoring reads. What
 * follows `…` may end any path.
 */
export const KEPT_RAW: readonly string[] = [
  'GrpHdr/BtchBookg',
  'GrpHdr/XpryDtTm',
  'GrpHdr/SttlmInf/SttlmAcct',
  'GrpHdr/SttlmInf/ClrSys',
  'SplmtryData',
  'CdtTrfTxInf/SplmtryData',
  'CdtTrfTxInf/SttlmPrty',
  'CdtTrfTxInf/SttlmTmReq',
  'CdtTrfTxInf/PoolgAdjstmntDt',
  'CdtTrfTxInf/AddtlDtTm/PoolgAdjstmntDt',
  'CdtTrfTxInf/AddtlDtTm/XpryDtTm',
  'CdtTrfTxInf/AgrdRate',
  'CdtTrfTxInf/ChrgsInf',
  'CdtTrfTxInf/MndtRltdInf',
  'CdtTrfTxInf/PmtSgntr',
  'CdtTrfTxInf/Tax',
  'CdtTrfTxInf/RltdRmtInf',
  'CdtTrfTxInf/RgltryRptg',
  'CdtTrfTxInf/RmtInf/Strd',
  '…/PmtTpInf/InstrPrty',
  '…/PmtTpInf/ClrChanl',
  '…/CtctDtls',
  '…/PstlAdr/AdrTp',
  '…/FinInstnId/PstlAdr',
  '…/FinInstnId/CmbndId/PstlAdr',
  '…/FinInstnId/NmAndAdr/PstlAdr',
  '…/FinInstnId/Othr/Issr',
  '…/BrnchId',
  '…/Tp',
  '…/Ccy',
  '…Acct/Nm',
  '…Acct/Id/Othr/Issr',
  '…Acct/Id/Othr/SchmeNm',
  '…Acct/Prxy',
];

function under(element: string, target: string, rows: readonly PathRow[]): PathRow[] {
  return rows.map(([path, below]): PathRow => [`${element}/${path}`, `${target}.${below}`]);
}
