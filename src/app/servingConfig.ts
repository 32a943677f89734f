/** The configuration of a process that serves or works: refused while a restore is not done. */
import { type Config, type Environment, loadConfig } from '#platform/config';
import { refuseRestored } from '#platform/restoredFile';

/** Throws ConfigError, too, while erasures are still to be repeated after a restore. */
export function servingConfig(environment: Environment): Config {
  const config = loadConfig(environment);
  refuseRestored(config.dataDir);
  return config;
}
