import { lifeOf } from '#shared/raw/life.ts'
import type { ListedReport } from '#shared/raw/listed.ts'
import type { RawListRow } from '#shared/api/answers.ts'

/** How long reports of each type took lately, by the type's name in small letters. */
export type UsualDurations = ReadonlyMap<string, NonNullable<ListedReport['usual']>>

/** Of each type, so many of the reports that became ready last count. */
const lately = 20

type Done = { readonly type: string; readonly created: number; readonly took: number }

function doneFrom(row: RawListRow): Done[] {
  if (row.requested === null || row.created === null || lifeOf(row).state !== 'ready') return []
  const created = Date.parse(row.created)
  const took = created - Date.parse(row.requested)
  // Where the service's moments contradict each other, they tell nothing.
  return took >= 0 ? [{ type: row.type.toLowerCase(), created, took }] : []
}

/** The shortest and the longest that reports of each type took lately, in milliseconds, by the service's own clock. */
export function usualDurations(rows: readonly RawListRow[]): UsualDurations {
  const latest = rows.flatMap(doneFrom).sort((a, b) => b.created - a.created)
  const byType = new Map<string, number[]>()
  for (const { type, took } of latest) {
    const taken = byType.get(type) ?? []
    if (taken.length < lately) byType.set(type, [...taken, took])
  }
  return new Map(
    [...byType].map(([type, taken]) => [type, { shortest: Math.min(...taken), longest: Math.max(...taken) }]),
  )
}
