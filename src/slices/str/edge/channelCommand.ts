/** `str channel set`: the way to an FIU's goAML Web. */
import type { TenantId } from '#core/kernel';
import { configureRemote } from '#slices/str';
import { EXIT } from '../../../cli/command.ts';
import { readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';
import { deskOf } from './parts.ts';

export const channelCommand: SliceCommand = {
  words: 'str channel set',
  summary: 'Configure the channel goaml_b2b of a tenant; it is off until then',
  options: [
    { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
    { name: 'url', value: 'URL', required: true, help: 'base address of the FIU’s goAML Web' },
    { name: 'user', value: 'NAME', required: true, help: 'as the FIU knows the reporter' },
    { name: 'password-file', value: 'FILE', required: true, help: 'its password, one line' },
    { name: 'off', help: 'kept, and not used' },
  ],
  example:
    'str channel set --tenant 0190… --url https://goaml.example/ --user bank --password-file p',
  async run({ actor, open, output }, given) {
    const password = (await readDocument(given.value('password-file'))).trim();
    const process = await open();
    const remote = await configureRemote(
      { ...deskOf(process), secrets: process.secrets },
      {
        actor,
        isEnabled: !given.isSet('off'),
        password,
        tenantId: given.value('tenant') as TenantId,
        url: given.value('url'),
        user: given.value('user'),
      },
    );
    const shown = { enabled: remote.isEnabled, url: remote.url };
    output.result(shown, `${remote.url} ${remote.isEnabled ? 'on' : 'off'}`);
    return EXIT.done;
  },
};
