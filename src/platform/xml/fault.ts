/**
 * A fault of a document, thrown from inside the scanner; `readXml` adds the place. `index` is a
 * byte of the scanner's buffer, or absent: the start of the current token.
 */
export class XmlFault extends Error {
  override readonly name = 'XmlFault';
  readonly index: number | undefined;

  constructor(what: string, index?: number) {
    super(what);
    this.index = index;
  }
}
