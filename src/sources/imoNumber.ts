/** `IMO 9187629`, `IMO No. 9187629`, `imo number: 9187629`: the number of a ship or its owner. */
const IMO = /\bIMO\s{0,4}(?:number|no\.?)?\s{0,4}[:.]?\s{0,4}(\d{7})\b/i;

/** Seven digits after the word IMO; undefined where there are none. */
export const imoNumber = (text: string): string | undefined => IMO.exec(text)?.[1];
