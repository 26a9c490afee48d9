import { limits } from '#shared/api/limits.ts'
import type { Parameter, ParameterType, RawFilter, SortKey } from '#shared/api/parameters.ts'
import { dayFromWire } from '#shared/values/day.ts'
import { Refusal } from '../contracts/handler.ts'

/** Reads one value as it came; throws a Refusal (400) whose words start with the parameter's name. */
type Reader = (value: unknown, name: string, parameter: Parameter) => unknown

const refuse = (name: string, words: string) => new Refusal(400, `${name} ${words}`)

/** Numbers are taken for text: the specification's own example sends an instance so. */
function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw refuse(name, 'has to be text')
}

function flag(value: unknown, name: string): boolean {
  if ([true, 1, '1', 'true'].includes(value as never)) return true
  if ([false, 0, '0', 'false'].includes(value as never)) return false
  throw refuse(name, 'has to be true or false')
}

function whole(value: unknown, name: string): number {
  const read = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof read === 'number' && Number.isSafeInteger(read)) return read
  throw refuse(name, 'has to be a whole number')
}

function list(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value
  throw refuse(name, 'has to be a list')
}

function sortKey(item: string, name: string): SortKey {
  const parts = /^(\d{1,3}):(asc|desc)$/.exec(item)
  if (!parts) throw refuse(name, 'takes items such as 2:asc or 2:desc, separated by commas')
  return { column: Number(parts[1]), direction: parts[2] === 'asc' ? 'asc' : 'desc' }
}

function filter(value: unknown, name: string): RawFilter {
  if (typeof value !== 'object' || value === null) throw refuse(name, 'has to hold objects')
  const { column, operator, value: compared } = value as Record<string, unknown>
  if (column === undefined) throw refuse(name, 'has to name a column in each')
  return {
    column: text(column, `${name}: column`),
    ...(operator !== undefined && operator !== null && { operator: text(operator, `${name}: operator`) }),
    ...(compared !== undefined && compared !== null && { value: text(compared, `${name}: value`) }),
  }
}

const readers: Readonly<Record<ParameterType, Reader>> = {
  text,
  flag,
  whole: (value, name, { maximum }) => {
    const read = whole(value, name)
    if (read < 1) throw refuse(name, 'has to be 1 or more')
    if (maximum !== undefined && read > maximum) throw refuse(name, `has to be ${maximum} or less`)
    return read
  },
  day: (value, name) => {
    const read = typeof value === 'string' || typeof value === 'number' ? dayFromWire(value) : undefined
    if (read === undefined) throw refuse(name, 'has to be a day of the calendar, written YYYYMMDD')
    return read
  },
  sort: (value, name) => {
    const keys = text(value, name)
      .split(',')
      .map((item) => sortKey(item.trim(), name))
    if (keys.length > limits.sortKeys) throw refuse(name, `takes at most ${limits.sortKeys} items`)
    return keys
  },
  texts: (value, name) => list(value, name).map((item) => text(item, name)),
  wholes: (value, name) => list(value, name).map((item) => whole(item, name)),
  filters: (value, name) => list(value, name).map((item) => filter(item, name)),
  'text-or-texts': (value, name) =>
    Array.isArray(value) ? value.map((item) => text(item, name)) : text(value, name),
}

/** Reads one parameter's value in its type; throws a Refusal (400) in words. */
export function readValue(value: unknown, name: string, parameter: Parameter): unknown {
  return readers[parameter.type](value, name, parameter)
}
