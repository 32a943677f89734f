/**
 * The guard of list and feed addresses, as the environment configures it. Where this host resolves
 * no names, because it makes no calls or a proxy resolves them, the check of a configured address
 * goes by its spelling alone.
 */
import type { DeploymentMode } from '../config.ts';
import type { ListConfig } from '../listConfig.ts';
import { createOutboundGuard, type OutboundGuard, type ResolveHost } from './outboundGuard.ts';

export const FETCH_ALLOWED_HOSTS = 'FETCH_ALLOWED_HOSTS';

export function configuredFetchGuard(config: {
  readonly deploymentMode: DeploymentMode;
  readonly lists: Pick<ListConfig, 'allowedHosts' | 'proxyResolvesNames' | 'proxyUrl'>;
}): OutboundGuard {
  const { allowedHosts: allowed, proxyResolvesNames, proxyUrl } = config.lists;
  const isForProxy = proxyUrl !== undefined && proxyResolvesNames;
  const resolvesNames = config.deploymentMode !== 'air-gapped' && !isForProxy;
  const resolveNothing: ResolveHost = async () => {
    throw new Error('names are not resolved here');
  };
  return createOutboundGuard({
    allowed,
    variable: FETCH_ALLOWED_HOSTS,
    ...(!resolvesNames && { resolve: resolveNothing }),
  });
}
