/**
 * The policy in force of each tenant, compiled once for each content, compared with the chain each
 * time it is asked for. Until a tenant publishes one, that which ships is in force.
 */
import type { TenantId } from '#core/kernel';
import { type CompiledPolicy, compilePolicy } from './compilePolicy.ts';
import { type RiskContent, SHIPPED, SHIPPED_HASH } from './policyContent.ts';
import type { SignedRisk } from './signedRisk.ts';

/** Names the policy that ships, for every tenant. */
export const SHIPPED_ID = '00000000-0000-7000-8000-000000000000';
/** Its number: the first that a tenant publishes is the second. */
export const SHIPPED_VERSION = 1;
const COMPILED_MAX = 1_000;

/** A policy that decides. */
export interface PolicyInUse {
  readonly policyId: string;
  readonly policyVersion: number;
  readonly content: RiskContent;
  readonly contentHash: string;
  readonly evaluate: CompiledPolicy;
}

/** Policies of one process. */
export interface RiskInForce {
  /** Throws `state-altered`. */
  of(tenantId: TenantId): Promise<PolicyInUse>;
}

/** One for a process. */
export function riskInForce({ signed }: { readonly signed: SignedRisk }): RiskInForce {
  const compiled = new CompiledPolicies();
  return {
    async of(tenantId) {
      const found = await signed.inForce(tenantId);
      const content = found?.content ?? SHIPPED;
      const contentHash = found?.contentHash ?? SHIPPED_HASH;
      return {
        content,
        contentHash,
        evaluate: compiled.of(contentHash, content),
        policyId: found?.policyId ?? SHIPPED_ID,
        policyVersion: found?.policyVersion ?? SHIPPED_VERSION,
      };
    },
  };
}

/** Compiled contents by their hash; many tenants have the same. */
export class CompiledPolicies {
  readonly #known = new Map<string, CompiledPolicy>();

  of(contentHash: string, content: RiskContent): CompiledPolicy {
    const known = this.#known.get(contentHash);
    if (known !== undefined) return known;
    const made = compilePolicy(content);
    this.#known.set(contentHash, made);
    const [oldest] = this.#known.keys();
    if (this.#known.size > COMPILED_MAX && oldest !== undefined) this.#known.delete(oldest);
    return made;
  }
}
