/** Publications of rules at `/v1/approvals`: the editor asks, the second person signs. */
import { Type } from 'typebox';
import { type Approvable, signedAuthorOf } from '#core/identity';
import { requireLastEditor } from '#slices/approvals';
import { awaitedRule, publishApproved, type RuleRecord, shownPublication } from '#slices/rules';
import {
  type AskedPublication,
  approvablePublication,
  ContentHash,
} from '../../../api/approvablePublication.ts';
import type { GatewayProcess } from '../../processes.ts';
import { RULE_ROLE_PAIR, roles } from '../roles.ts';
import { rulePartsOf } from './parts.ts';
import { presentRule } from './presentation.ts';

const VERSION_MAX = 999_999_999;

/** What is signed as `new_value`; `signing` of a version has it. */
const Publication = Type.Object(
  {
    base_version: Type.Integer({ maximum: VERSION_MAX, minimum: 0 }),
    content_hash: ContentHash,
    version: Type.Integer({ maximum: VERSION_MAX, minimum: 1 }),
  },
  { additionalProperties: false },
);

const placeOf = ({ author, id, newValue }: AskedPublication<{ readonly version: number }>) => ({
  newValue,
  ruleId: id,
  ruleVersion: newValue.version,
  tenantId: author.tenantId,
});

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  monitoring_rule: approvablePublication({
    apply: async (asked, by) => {
      const ports = rulePartsOf(process);
      const answerOf = (published: RuleRecord) => ({
        body: JSON.stringify(presentRule(published, ports.clock.now())),
        status: 200,
      });
      return answerOf(await publishApproved(ports, { ...placeOf(asked), answerOf, by }));
    },
    check: async (asked) => {
      const ports = rulePartsOf(process);
      const { draft } = await awaitedRule(ports, placeOf(asked));
      await requireLastEditor(ports, asked.author, signedAuthorOf(draft));
    },
    resourceOf: (id) => `monitoring_rule:${id}`,
    rolePair: RULE_ROLE_PAIR,
    roles: roles.change,
    schema: Publication,
    show: async (asked) =>
      shownPublication(await awaitedRule(rulePartsOf(process), placeOf(asked))),
  }),
});
