/**
 * Makes src/generated from the service's description. It is not kept in the repository: it is built
 * with the package, so that it cannot be another version than the description beside it.
 */
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export default {
  input: at('../../docs/api.yaml'),
  output: at('src/generated'),
  parser: {
    patch: {
      parameters: {
        // The client makes a key where the caller gives none.
        IdempotencyKey: (parameter) => {
          parameter.required = false;
        },
      },
    },
  },
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true },
    {
      name: '@hey-api/sdk',
      operations: { containerName: 'Operations', strategy: 'single' },
      responseStyle: 'data',
    },
    '@hey-api/typescript',
  ],
};
