import type { RawLists } from '#main/raw/requests/requests-context.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import type { TickingClock } from './ticking-clock.ts'

/** The lists of a sandbox, as whoever watches keeps them: they outlive the app. */
export function listsOf(client: ServiceClient, clock: TickingClock): RawLists {
  const seen = new Map<RawReportId, Instant>()
  let known: Awaited<ReturnType<RawLists['known']>> = null
  return {
    known: async () => known,
    refresh: async () => {
      const askedAt = clock.now() as Instant
      const { answer } = await client.call('raw/table', { limit: 1000 }, { priority: 'background' })
      const seenAt = clock.now() as Instant
      for (const { id } of answer.rows) if (!seen.has(id)) seen.set(id, seenAt)
      const reports = answer.rows.map((row) => ({ row, firstSeen: seen.get(row.id) ?? seenAt }))
      known = { limits: answer.limits, requestedAt: askedAt, complete: true, reports }
      return known
    },
    accepted: () => Promise.resolve(),
  }
}
