/** The schema of a policy's content for everybody: clients check what the server checks again. */
import { makeAsset, reply } from '../../../api/pages.ts';
import type { PublicPage } from '../../../api/ports.ts';
import { PublishedContent } from './schemas.ts';

export const CONTENT_SCHEMA_PATH = '/schemas/sanctions/policy-content.v1.json';

export const contentPage = (origin: () => string): PublicPage => ({
  path: CONTENT_SCHEMA_PATH,
  reply: ({ request }) =>
    reply(
      request.header('if-none-match'),
      makeAsset(
        'application/schema+json',
        JSON.stringify({
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: `${origin()}${CONTENT_SCHEMA_PATH}`,
          title: 'Content of a sanctions policy',
          description:
            'Beside it two rules hold that no schema says: the weights sum to 1.0, and ' +
            'rca_2 <= rca_1 <= pep <= direct.',
          ...PublishedContent,
        }),
      ),
    ),
});
