/** XML from strangers, under guard: every list connector that reads XML goes through here. */
export {
  XML_LIMITS,
  type XmlAttributes,
  type XmlHandler,
  type XmlLimits,
  type XmlOptions,
} from './ports.ts';
export { readXml } from './readXml.ts';
export { RecordSize } from './recordSize.ts';
export {
  charsOf,
  childOf,
  childrenOf,
  childText,
  RecordBuilder,
  type XmlRecord,
} from './records.ts';
