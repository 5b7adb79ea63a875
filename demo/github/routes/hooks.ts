import { notFound } from '../api-error.ts'
import { type JsonObject, time } from '../resources/json.ts'
import type { Answer, Call, Route } from '../route.ts'
import type { Delivery } from '../webhooks.ts'

export const hookRoutes: readonly Route[] = [
  {
    operation: 'apps/get-webhook-config-for-app',
    needs: 'app',
    answer: ({ webhooks }) => ({
      status: 200,
      body: { content_type: 'json', insecure_ssl: '0', secret: '********', url: webhooks.target?.url ?? '' },
    }),
  },
  { operation: 'apps/list-webhook-deliveries', needs: 'app', answer: listDeliveries },
  {
    operation: 'apps/get-webhook-delivery',
    needs: 'app',
    answer: (call) => {
      const delivery = deliveryOf(call)
      return {
        status: 200,
        body: {
          ...itemJson(delivery),
          url: call.webhooks.target?.url ?? '',
          request: { headers: delivery.requestHeaders, payload: JSON.parse(delivery.payload) as unknown },
          response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
        },
      }
    },
  },
  {
    operation: 'apps/redeliver-webhook-delivery',
    needs: 'app',
    answer: (call) => {
      call.webhooks.redeliver(deliveryOf(call))
      return { status: 202, body: {} }
    },
  },
]

/** Newest first, by cursor: there are no numbered pages. */
function listDeliveries(call: Call): Answer {
  const size = Math.min(Number(call.query['per_page'] ?? 30), 100)
  const cursor = Number(call.query['cursor'] ?? Number.POSITIVE_INFINITY)
  const wanted = call.query['status']
  const all = call.webhooks.log
    .filter((delivery) => {
      const succeeded = delivery.statusCode >= 200 && delivery.statusCode < 400
      return wanted === undefined || succeeded === (wanted === 'success')
    })
    .toSorted((a, b) => b.id - a.id)
    .filter((delivery) => delivery.id <= cursor)
  const next = all[size]
  const search = new URLSearchParams(call.search)
  search.set('cursor', String(next?.id))
  return {
    status: 200,
    body: all.slice(0, size).map(itemJson),
    headers: next === undefined ? {} : { link: `<${call.address}?${search.toString()}>; rel="next"` },
  }
}

function deliveryOf(call: Call): Delivery {
  const id = Number(call.path['delivery_id'])
  const delivery = call.webhooks.log.find((known) => known.id === id)
  if (delivery === undefined) throw notFound()
  return delivery
}

/** `hook-delivery-item`. */
function itemJson(delivery: Delivery): JsonObject {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt === null ? '' : time(delivery.deliveredAt),
    redelivery: delivery.redelivery,
    duration: delivery.duration,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  }
}
