/** The schema of rules for everybody: editors check what the service checks again. */
import schema from '../../../../config/rules/tm-rule-v1.schema.json' with { type: 'json' };
import { makeAsset, reply } from '../../../api/pages.ts';
import type { PublicPage } from '../../../api/ports.ts';

export const RULE_SCHEMA_PATH = '/schemas/aml/tm-rule.v1.json';

export const rulePage = (origin: () => string): PublicPage => ({
  path: RULE_SCHEMA_PATH,
  reply: ({ request }) =>
    reply(
      request.header('if-none-match'),
      makeAsset(
        'application/schema+json',
        JSON.stringify({ ...schema, $id: `${origin()}${RULE_SCHEMA_PATH}` }),
      ),
    ),
});
