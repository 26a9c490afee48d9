import { limits } from '#shared/api/parameters.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { malformed, ServiceFailure } from '#main/api/network-failure.ts'

/** Far more than any token sees: a service that goes on says something wrong. */
const maxPages = 100
/** The list may change while its pages are fetched: so often it is begun again. */
const attempts = 3

/**
 * Every instance that a token may see, in the order of their ids, without the entry for all of them. Pages are asked for
 * one after the other. A list that does not add up is read again: one page too few would look like another scope.
 * @param isKnown whether instances are those that are known already. Where some of the list cannot be read, no others are
 * believed; left out, nothing is known yet
 * @throws ServiceFailure where the list goes on changing, or is larger than any, and whatever the client throws
 */
export async function readScope(
  client: Pick<ServiceClient, 'call'>,
  signal: AbortSignal,
  isKnown?: (instances: readonly InstanceId[]) => boolean,
): Promise<readonly InstanceId[]> {
  let before: string | null = null
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { ids, addsUp, unreadable } = await readOnce(client, signal)
    if (unreadable > 0 && isKnown?.(ids) === false)
      throw malformed('its list has an instance without an id, which may be any of those that are missing')
    const text = ids.join(' ')
    // A service may count otherwise than it lists; then it does so each time.
    if (addsUp || text === before) return ids
    before = text
  }
  throw new ServiceFailure({
    kind: 'server-trouble',
    message: "The token's list of instances kept changing. Try again in a few minutes.",
  })
}

async function readOnce(client: Pick<ServiceClient, 'call'>, signal: AbortSignal) {
  const ids = new Set<InstanceId>()
  const totals = new Set<number>()
  const limit = limits.rowsPerPage
  let listed = 0
  let unreadable = 0
  for (let page = 1; page <= maxPages; page += 1) {
    const { answer } = await client.call('interface/instances', { all: false, page, limit }, { signal })
    const found = answer.instances.filter(({ all }) => !all)
    const before = ids.size
    for (const { id } of found) ids.add(id)
    listed += found.length
    const odd = answer.unreadable ?? 0
    unreadable += odd
    totals.add(answer.query.results)
    const isLast = found.length + odd < limit && ids.size + unreadable >= answer.query.results
    if (isLast || ids.size === before) {
      const addsUp = totals.size === 1 && totals.has(ids.size + unreadable) && listed === ids.size
      return { ids: [...ids].sort(), addsUp, unreadable }
    }
  }
  throw malformed('a token that sees so many instances is none')
}
