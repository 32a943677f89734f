/**
 * What a signature says that it signs, read from its canonical bytes: those that the key signed,
 * and no others. Only what IDES uses is taken; a transform more could change what is signed.
 */
import { DomainError } from '#core/kernel';
import type { Canonicalization } from '#platform/xml/canonicalTags';
import type { XmlHandler } from '#platform/xml/ports';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import { canonicalizationOf, DSIG, RSA_SHA256, SHA256 } from './envelope.ts';
import { SIGNATURE_CHARS_MAX } from './limits.ts';

/** One thing that is signed. */
export interface SignedReference {
  /** Id of an element in the same document. */
  readonly id: string;
  readonly canonicalization: Canonicalization;
  /** In base64. */
  readonly digest: string;
}

/** SignedInfo, as far as it counts. */
export interface SignedInfo {
  readonly canonicalization: Canonicalization;
  readonly references: readonly SignedReference[];
}

const LIMITS = {
  attributesMax: 16,
  bytesMax: 4 * SIGNATURE_CHARS_MAX,
  depthMax: 6,
  elementsMax: 100,
  nameCharsMax: 128,
  textCharsMax: SIGNATURE_CHARS_MAX,
} as const;
const reader = new XmlReader(LIMITS);

export const signatureRefused = (detail: string, cause?: unknown): DomainError =>
  new DomainError('package-signature-invalid', { cause, detail });

/** Reads a part of a signature, whose elements are all of its namespace. */
export function readSignaturePart(xml: string, handler: Omit<XmlHandler, 'root'>): void {
  try {
    reader.read(Buffer.from(xml), {
      ...handler,
      root(_, namespace) {
        if (namespace !== DSIG) throw signatureRefused('expected elements of XML signatures alone');
      },
    });
  } catch (error) {
    if (!(error instanceof XmlDamaged)) throw error;
    throw signatureRefused(`expected well-formed XML: ${error.message}`, error);
  }
}

interface Draft {
  uri: string;
  transforms: string[];
  digestMethod: string;
  digest: string;
}

const PATHS: ReadonlySet<string> = new Set([
  'SignedInfo',
  'SignedInfo/CanonicalizationMethod',
  'SignedInfo/SignatureMethod',
  'SignedInfo/Reference',
  'SignedInfo/Reference/Transforms',
  'SignedInfo/Reference/Transforms/Transform',
  'SignedInfo/Reference/DigestMethod',
  'SignedInfo/Reference/DigestValue',
]);

/** Throws `package-signature-invalid`. */
export function readSignedInfo(canonical: string): SignedInfo {
  const path: string[] = [];
  const methods: string[] = [];
  const signatures: string[] = [];
  const drafts: Draft[] = [];
  readSignaturePart(canonical, {
    close(name, text) {
      const draft = drafts.at(-1);
      if (name === 'DigestValue' && draft !== undefined) draft.digest += text;
      path.pop();
    },
    open(name, _, attributes) {
      path.push(name);
      if (!PATHS.has(path.join('/')))
        throw signatureRefused('expected no other part of SignedInfo');
      const algorithm = attributes.get('Algorithm') ?? '';
      const draft = drafts.at(-1);
      if (name === 'CanonicalizationMethod') methods.push(algorithm);
      else if (name === 'SignatureMethod') signatures.push(algorithm);
      else if (name === 'Reference') drafts.push(newDraft(attributes.get('URI') ?? ''));
      else if (name === 'Transform') draft?.transforms.push(algorithm);
      else if (name === 'DigestMethod' && draft !== undefined) draft.digestMethod += algorithm;
    },
  });
  if (signatures.join() !== RSA_SHA256) throw signatureRefused('expected RSA with SHA-256');
  return { canonicalization: oneOf(methods), references: drafts.map(referenceOf) };
}

const newDraft = (uri: string): Draft => ({ digest: '', digestMethod: '', transforms: [], uri });

function referenceOf({ digest, digestMethod, transforms, uri }: Draft): SignedReference {
  if (digestMethod !== SHA256) throw signatureRefused('expected digests of SHA-256');
  if (!uri.startsWith('#')) throw signatureRefused('expected references within the document');
  return { canonicalization: oneOf(transforms), digest: digest.trim(), id: uri.slice(1) };
}

function oneOf(algorithms: readonly string[]): Canonicalization {
  const [algorithm = '', more] = algorithms;
  const found = canonicalizationOf(algorithm);
  if (found !== undefined && more === undefined) return found;
  throw signatureRefused('expected one canonicalization, inclusive or exclusive, without comments');
}
