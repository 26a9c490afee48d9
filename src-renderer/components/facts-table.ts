import { dayFromWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** The day that a member is, by its name and by how it is written: days come as whole numbers. */
export const factsDay = (name: string, value: unknown): Day | null =>
  /(^|_)(date|day|start|end)$/i.test(name) ? (dayFromWire(value) ?? null) : null

/** Facts that are alike, as a table: the members that they have, and a row for each. */
type FactsTable = {
  readonly members: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** More than these beside one another are not read. */
const MAX_MEMBERS = 8

/**
 * A list of things that each have a few plain members, as the service breaks figures down; null where it is none, and is
 * read better one by one.
 */
export function factsTable(value: unknown): FactsTable | null {
  if (!Array.isArray(value) || value.length === 0) return null
  const things = value.filter(isPlainThing)
  if (things.length < value.length) return null
  const members = [...new Set(things.flatMap((thing) => Object.keys(thing)))]
  if (members.length === 0 || members.length > MAX_MEMBERS) return null
  return { members, rows: things.map((thing) => members.map((name) => thing[name])) }
}

function isPlainThing(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((member) => typeof member !== 'object' || member === null)
}
