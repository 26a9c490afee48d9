import { limits } from '#shared/api/parameters.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { malformed, ServiceFailure } from '#main/api/network-failure.ts'

/** Maximum number of pages. More indicate a faulty service. */
const maxPages = 100
/** Number of attempts, because the list may change while its pages are fetched. */
const attempts = 3

/**
 * Lists all instances that a token sees, sorted by id, without the entry for all instances. Pages are fetched one at a
 * time. An inconsistent list is fetched again, because a missing page would look like another scope.
 * @param isKnown whether the instances equal the known ones. Other instances are rejected if part of the list is
 * unreadable. Absent: no instances are known
 * @throws ServiceFailure if the list is faulty or too long; whatever the client throws
 */
export async function readScope(
  client: ServiceClient,
  signal: AbortSignal,
  isKnown?: (instances: readonly InstanceId[]) => boolean,
): Promise<readonly InstanceId[]> {
  let before: string | null = null
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { ids, addsUp, unreadable } = await readOnce(client, signal)
    if (unreadable > 0 && isKnown?.(ids) === false)
      throw malformed('its list has an instance without an id, perhaps one that is missing')
    const text = ids.join(' ')
    // Some services report a wrong total, but consistently.
    if (addsUp || text === before) return ids
    before = text
  }
  throw new ServiceFailure({
    kind: 'server-trouble',
    message: "The token's list of instances kept changing. Try again in a few minutes.",
  })
}

async function readOnce(client: ServiceClient, signal: AbortSignal) {
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
