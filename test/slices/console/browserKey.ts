/** A person's signing key, made in the person's browser and registered by an operator. */
import type { Page } from 'playwright-core';
import { createPersonAdmin, identityStore } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { RealGateway } from '../../api/realGateway.ts';
import type { consoleDesk } from './consoleDesk.ts';
import { open } from './everyLook.ts';

/** Which person of the tenant, by the order of the listing. */
export async function registerBrowserKey(
  page: Page,
  of: {
    readonly desk: ReturnType<typeof consoleDesk>;
    readonly gateway: RealGateway;
    readonly person: number;
    readonly tenantId: TenantId;
  },
): Promise<void> {
  const { desk, gateway, person, tenantId } = of;
  await open(page, '#/account');
  await page.getByRole('button', { name: 'Make a key in this browser' }).click();
  const line = page.getByText(/person key add/);
  const [, publicKey = ''] = /([A-Za-z0-9+/]{43}=)/.exec((await line.textContent()) ?? '') ?? [];
  const persons = await identityStore(gateway.process.storage.tables).listPersons(tenantId);
  const admin = createPersonAdmin({ ...desk.ports, store: desk.ports.identity });
  const personId = persons[person]?.id ?? '';
  await admin.addKey({ actor: 'cli:test', personId, publicKey, tenantId });
}
