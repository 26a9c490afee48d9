import { dayFromWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** Parses a fact as a day, if its name suggests one. Days are whole numbers on the wire. */
export const factsDay = (name: string, value: unknown): Day | null =>
  /(^|_)(date|day|start|end)$/i.test(name) ? (dayFromWire(value) ?? null) : null

/** A table of similar facts, with one column per member. */
type FactsTable = {
  readonly members: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** Maximum of columns that are readable. */
const MAX_MEMBERS = 8

/** Converts a list of flat objects, as in the service's breakdowns, to a table. Returns null for other values. */
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
