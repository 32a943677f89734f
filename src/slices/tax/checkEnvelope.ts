/**
 * Whether a document is what somebody signed. The document is the signature and nothing else: its
 * root is `Signature`, with SignedInfo, SignatureValue, KeyInfo and one `Object` in this order, and
 * what is signed is that `Object`, and KeyInfo at the most. So nothing can be wrapped: nothing is
 * looked up by its id, and no other element could be taken for the one that was signed.
 *
 * What is given on is the canonical form of which the digest was taken. It is given before the
 * signature is checked, since the document may be larger than memory: nobody may act on it before
 * this resolves. The certificate in KeyInfo is never trusted; it has to be one that the caller
 * knows.
 */
import { createHash, verify, type X509Certificate } from 'node:crypto';
import { bytesFromBase64, constantTimeEqual } from '#platform/crypto';
import {
  type Canonicalization,
  type CanonicalScope,
  type CanonicalTag,
  canonicalTag,
  type Namespaces,
  NotCanonical,
  scopeOf,
} from '#platform/xml/canonicalTags';
import { CanonicalXml } from '#platform/xml/canonicalXml';
import { readXml, XmlDamaged } from '#platform/xml/readXml';
import { type TokenSink, XmlTokens } from '#platform/xml/xmlTokens';
import { DSIG } from './envelope.ts';
import { SIGNATURE_CHARS_MAX } from './limits.ts';
import {
  readSignaturePart,
  readSignedInfo,
  type SignedInfo,
  signatureRefused,
} from './signedInfo.ts';

/** What a signature was found to be. */
export interface CheckedEnvelope {
  readonly certificate: X509Certificate;
  readonly canonicalization: Canonicalization;
}

/** Who may have signed, and who takes what was signed. */
export interface EnvelopeCheck {
  readonly trusted: readonly X509Certificate[];
  /** Takes the canonical form of what stands within `Object`; awaited after each piece read. */
  readonly onSigned: (text: string) => Promise<void> | void;
}

const PARTS = ['SignedInfo', 'SignatureValue', 'KeyInfo', 'Object'] as const;
type Part = (typeof PARTS)[number];
type Gathered = 'exclusive' | 'inclusive' | 'keyInfo' | 'value';
const NOTHING_AROUND = scopeOf(new Map(), new Map());
const SPACE = /\s+/g;

/** Throws `package-signature-invalid`. */
export async function checkEnvelope(
  xml: AsyncIterable<Uint8Array>,
  { onSigned, trusted }: EnvelopeCheck,
): Promise<CheckedEnvelope> {
  const texts: string[] = [];
  const envelope = new Envelope((text) => texts.push(text));
  const giveOn = async (): Promise<void> => {
    for (const text of texts.splice(0)) await onSigned(text);
  };
  try {
    await readXml(tokensOf(xml, envelope, giveOn), {
      close: () => undefined,
      open: () => undefined,
      root: () => undefined,
    });
  } catch (error) {
    const isDamaged = error instanceof XmlDamaged || error instanceof NotCanonical;
    // TextDecoder throws TypeError for what is no UTF-8.
    if (!isDamaged && !(error instanceof TypeError)) throw error;
    throw signatureRefused(`expected well-formed XML: ${error.message}`, error);
  }
  return envelope.judge(trusted);
}

async function* tokensOf(
  pieces: AsyncIterable<Uint8Array>,
  sink: TokenSink,
  giveOn: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const tokens = new XmlTokens(sink);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of pieces) {
    tokens.write(decoder.decode(piece, { stream: true }));
    await giveOn();
    yield piece;
  }
}

/** One child of the signature, while it is read. */
interface OpenPart {
  readonly name: Part;
  readonly forms: readonly CanonicalXml[];
}

class Envelope implements TokenSink {
  readonly #onSigned: (text: string) => void;
  readonly #digest = createHash('sha256');
  readonly #ids = new Map<Part, string>();
  readonly #texts: Record<Gathered, string> = {
    exclusive: '',
    inclusive: '',
    keyInfo: '',
    value: '',
  };
  #root: CanonicalTag | undefined;
  #done = 0;
  #open: OpenPart | undefined;
  /** Between the start of a part and its end. */
  #isInside = false;
  #info: SignedInfo | undefined;

  constructor(onSigned: (text: string) => void) {
    this.#onSigned = onSigned;
  }

  tag(raw: string): void {
    if (this.#open !== undefined) this.#within(this.#open, raw);
    else if (this.#root === undefined) this.#root = signatureTag(raw, NOTHING_AROUND, 'Signature');
    else if (!raw.startsWith('</')) this.#begin(raw, this.#root.scope);
  }

  text(raw: string): void {
    if (this.#open !== undefined) for (const form of this.#open.forms) form.text(raw);
    else if (raw.trim() !== '') throw signatureRefused('expected no text between its parts');
  }

  section(raw: string): void {
    if (this.#open === undefined) throw signatureRefused('expected no text between its parts');
    for (const form of this.#open.forms) form.section(raw);
  }

  #begin(raw: string, around: CanonicalScope): void {
    const name = PARTS[this.#done];
    if (name === undefined) throw signatureRefused('expected nothing after Object');
    const found = signatureTag(raw, around, name);
    if (found.isEmpty) throw signatureRefused(`expected something in ${name}`);
    this.#ids.set(name, found.attributes.get('Id') ?? '');
    const forms = this.#formsOf(name, around.inScope);
    for (const form of forms) {
      form.tag(raw);
      form.end();
    }
    this.#open = { forms, name };
    this.#isInside = true;
  }

  /** Which form of SignedInfo was signed is said inside of it, so both are made. */
  #formsOf(name: Part, around: Namespaces): readonly CanonicalXml[] {
    const gather = (member: Gathered) => (text: string) => {
      this.#texts[member] = bounded(this.#texts[member] + text);
    };
    if (name === 'SignedInfo') {
      return [
        new CanonicalXml('inclusive', around, gather('inclusive')),
        new CanonicalXml('exclusive', around, gather('exclusive')),
      ];
    }
    const reference = this.#info?.references.find(({ id }) => id === this.#ids.get(name));
    const by = reference?.canonicalization ?? 'inclusive';
    if (name !== 'Object') {
      return [new CanonicalXml(by, around, gather(name === 'KeyInfo' ? 'keyInfo' : 'value'))];
    }
    const take = (text: string): void => {
      this.#digest.update(text);
      if (this.#isInside) this.#onSigned(text);
    };
    return [new CanonicalXml(by, around, take)];
  }

  #within({ forms, name }: OpenPart, raw: string): void {
    const isEnd = raw.startsWith('</') && forms[0]?.depth === 1;
    for (const form of forms) {
      if (isEnd) form.end();
    }
    if (isEnd) this.#isInside = false;
    for (const form of forms) form.tag(raw);
    if (!isEnd) return;
    for (const form of forms) form.end();
    if (name === 'SignedInfo') this.#info = readSignedInfo(this.#infoText());
    this.#done++;
    this.#open = undefined;
  }

  #infoText(): string {
    const { canonicalization } = readSignedInfo(this.#texts.inclusive);
    return this.#texts[canonicalization];
  }

  judge(trusted: readonly X509Certificate[]): CheckedEnvelope {
    if (this.#done < PARTS.length || this.#info === undefined) {
      throw signatureRefused(`expected ${PARTS.join(', ')}`);
    }
    this.#judgeReferences(this.#info);
    const raw = certificateIn(this.#texts.keyInfo);
    const certificate = trusted.find((one) => one.raw.equals(raw));
    if (certificate === undefined) {
      throw signatureRefused('KeyInfo: expected the certificate of who should have signed');
    }
    const value = Buffer.from(textIn(this.#texts.value), 'base64');
    if (!verify('sha256', Buffer.from(this.#infoText()), certificate.publicKey, value)) {
      throw signatureRefused('SignatureValue: expected that of the certificate');
    }
    return { canonicalization: this.#info.canonicalization, certificate };
  }

  /** Each part at most once, and `Object` in any case. */
  #judgeReferences({ references }: SignedInfo): void {
    const left = new Map<Part, Buffer>([
      ['Object', this.#digest.digest()],
      ['KeyInfo', createHash('sha256').update(this.#texts.keyInfo).digest()],
    ]);
    for (const { digest, id } of references) {
      const name = [...left.keys()].find((part) => id !== '' && this.#ids.get(part) === id);
      const found = name && left.get(name);
      if (name === undefined || found === undefined)
        throw signatureRefused('expected references to Object and KeyInfo');
      const said = bytesFromBase64(digest, found.length);
      if (said === undefined || !constantTimeEqual(said, found)) {
        throw signatureRefused(`${name}: expected another digest`);
      }
      left.delete(name);
    }
    if (left.has('Object')) throw signatureRefused('expected a reference to Object');
  }
}

function bounded(text: string): string {
  if (text.length <= SIGNATURE_CHARS_MAX) return text;
  throw signatureRefused(`expected at most ${SIGNATURE_CHARS_MAX} characters of each part`);
}

/** An element of XML signatures; attributes of `xml` would reach into what is signed. */
function signatureTag(raw: string, around: CanonicalScope, name: string): CanonicalTag {
  const found = canonicalTag(raw, around, 'inclusive');
  const [local, prefix = ''] = found.name.split(':').reverse();
  const isOurs = local === name && found.scope.inScope.get(prefix) === DSIG;
  if (!isOurs) throw signatureRefused(`expected ${name} of an XML signature`);
  for (const attribute of found.attributes.keys()) {
    if (attribute.startsWith('xml:'))
      throw signatureRefused(`expected no attribute of xml in ${name}`);
  }
  return found;
}

function textIn(xml: string): string {
  let found = '';
  readSignaturePart(xml, {
    close(_, text) {
      found = text;
    },
    open(_, depth) {
      if (depth > 1) throw signatureRefused('expected text alone in SignatureValue');
    },
  });
  return found.replaceAll(SPACE, '');
}

/** The first one: who signed comes before those that vouch for him. */
function certificateIn(keyInfo: string): Buffer {
  let first: string | undefined;
  readSignaturePart(keyInfo, {
    close(name, text) {
      if (name === 'X509Certificate') first ??= text;
    },
    open: () => undefined,
  });
  if (first === undefined) throw signatureRefused('expected an X509Certificate in KeyInfo');
  return Buffer.from(first.replaceAll(SPACE, ''), 'base64');
}
