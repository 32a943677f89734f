/** A whole content, as the description and the command line show it. */
import type { PolicyContent } from '#slices/policies';

export const EXAMPLE_CONTENT: PolicyContent = {
  sources: { OPEN_AGGREGATE: { enabled: true } },
  thresholds: { direct: 0.92, pep: 0.87, rca_1: 0.8, rca_2: 0.7, adverse_media: 0.75 },
  weights: { name: 0.4, phonetic: 0.15, dob: 0.2, nationality: 0.1, alias: 0.15 },
  boosts: { SAN: 1, PEP: 0.85, RCA: 0.7, SI: 0.9, DI: 0.75 },
  missing_attributes: 'rescale',
  phonetic_names: 'all',
  reranker_version: '1.1.0',
  batch_reranker_version: '2.0.0',
  rca_depth_decay: { depth_1: 1, depth_2: 0.6 },
  flags: {
    commercial_enabled: false,
    cache_ttl_hours: 0,
    topN: 50,
    audit_export_enabled: true,
    continuous_screening_enabled: true,
    exclusions_enabled: true,
    exclusion_max_days: 365,
    four_eyes: 'sanctions',
    auto_alert_typologies: ['MATCH_DIRECT_SANCTIONS', 'MATCH_PEP'],
  },
};
