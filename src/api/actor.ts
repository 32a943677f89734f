/** Who asked, as records name it. */
import type { Principal } from '#core/identity';

/** A person's account, or a key. */
export const actorOf = ({ id, kind }: Principal): string =>
  kind === 'user' ? `user:${id}` : `key:${id}`;
