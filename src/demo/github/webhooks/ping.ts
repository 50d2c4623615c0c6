/** What GitHub sends when a hook is set up, or somebody presses "Test". */
import { renderHookConfig } from '../render/app.ts';
import { apiUrl, isoSeconds } from '../render/urls.ts';
import type { Site } from '../site.ts';
import type { Delivery } from './hook.ts';

export function ping(site: Site): Delivery {
  const at = isoSeconds(site.app.createdAt);
  const payload = {
    zen: 'Anything added dilutes everything else.',
    hook_id: site.hook.id,
    hook: {
      type: 'App',
      id: site.hook.id,
      name: 'web',
      active: true,
      events: [...site.app.events],
      config: renderHookConfig(site),
      created_at: at,
      updated_at: at,
      app_id: site.app.id,
      deliveries_url: apiUrl(site, '/app/hook/deliveries'),
    },
  };
  return site.hook.emit({ event: 'ping', action: null, payload, installationId: null, repositoryId: null }, true);
}
