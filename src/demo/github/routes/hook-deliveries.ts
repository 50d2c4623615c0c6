/** The app's own view of its webhook: what was delivered, what failed, and "send that again". */
import { notFound, ok } from '../http/answer.ts';
import { readPositive } from '../http/pagination.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { apiUrl, isoSeconds } from '../render/urls.ts';
import type { Site } from '../site.ts';
import type { Delivery } from '../webhooks/hook.ts';

export const hookDeliveryRoutes: readonly Route[] = [
  { method: 'GET', operation: '/app/hook/deliveries', as: 'app', handle: listDeliveries },
  { method: 'GET', operation: '/app/hook/deliveries/{delivery_id}', as: 'app', handle: readDelivery },
  { method: 'POST', operation: '/app/hook/deliveries/{delivery_id}/attempts', as: 'app', handle: redeliver },
];

/** Newest first, only what is over; the cursor is the id below which the next page begins. */
function listDeliveries(site: Site, request: ApiRequest) {
  const perPage = Math.min(readPositive(request.query, 'per_page', 30), 100);
  const below = readPositive(request.query, 'cursor', Number.MAX_SAFE_INTEGER);
  const wanted = request.query.get('status');
  const all = finished(site)
    .filter((delivery) => wanted === null || (wanted === 'success') === (delivery.state === 'delivered'))
    .filter((delivery) => delivery.id < below)
    .reverse();
  const page = all.slice(0, perPage);
  const last = page.at(-1);
  const next = last && all.length > page.length ? { link: `<${nextUrl(site, request, last.id)}>; rel="next"` } : {};
  return { status: 200, body: page.map(renderItem), headers: next };
}

function nextUrl(site: Site, request: ApiRequest, cursor: number): string {
  const query = new URLSearchParams(request.query);
  query.set('cursor', String(cursor));
  return `${apiUrl(site, '/app/hook/deliveries')}?${query}`;
}

function finished(site: Site): Delivery[] {
  return site.hook.deliveries().filter(({ state }) => state === 'delivered' || state === 'failed');
}

function namedDelivery(site: Site, request: ApiRequest): Delivery {
  const delivery = finished(site).find(({ id }) => id === Number(request.params.delivery_id));
  if (delivery === undefined) throw notFound();
  return delivery;
}

function readDelivery(site: Site, request: ApiRequest) {
  const delivery = namedDelivery(site, request);
  return ok({
    ...renderItem(delivery),
    url: site.hook.url() ?? '',
    request: { headers: delivery.headers, payload: delivery.payload },
    response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
  });
}

function redeliver(site: Site, request: ApiRequest) {
  void site.hook.redeliver(namedDelivery(site, request).guid);
  return { status: 202, body: {} };
}

function renderItem(delivery: Delivery) {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: isoSeconds(delivery.at),
    redelivery: delivery.redelivery,
    duration: delivery.durationSeconds,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}
