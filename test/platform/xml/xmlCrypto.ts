/**
 * xml-crypto and its tree, as oracles. Required without their types, which would bring those of
 * browsers over the whole project.
 */
import { createRequire } from 'node:module';

interface CanonicalAlgorithm {
  process(node: unknown, options: object): unknown;
}

interface SignedXml {
  loadSignature(node: unknown): void;
  checkSignature(xml: string): boolean;
  getSignedReferences(): readonly string[];
}

interface XmlCrypto {
  readonly C14nCanonicalization: new () => CanonicalAlgorithm;
  readonly ExclusiveCanonicalization: new () => CanonicalAlgorithm;
  readonly SignedXml: new (options: { readonly publicCert: string }) => SignedXml;
}

interface Dom {
  readonly DOMParser: new () => {
    parseFromString(xml: string, type: string): { readonly documentElement: unknown };
  };
}

const require = createRequire(import.meta.url);
export const xmlCrypto = require('xml-crypto') as XmlCrypto;
const { DOMParser } = require('@xmldom/xmldom') as Dom;

export const rootOf = (xml: string): unknown =>
  new DOMParser().parseFromString(xml, 'text/xml').documentElement;
