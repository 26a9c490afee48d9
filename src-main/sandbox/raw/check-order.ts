import { limits } from '#shared/api/limits.ts'
import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { TokenRights } from '../contracts/handler.ts'
import { checkFilters } from './check-filters.ts'
import type { NamedInstance, RawOrder } from './order.ts'

type Given = ArgumentsFor<'raw/request'>

/** Words by the parameter that they are about. */
export type Failures = Readonly<Record<string, string>>

/**
 * Checks every parameter of a raw/request (specification: raw/request, limits), and names all that are wrong.
 * @param instances all there are; those beyond the token's rights are as unknown to it as those that do not exist
 */
export function checkOrder(
  given: Given,
  { rights, today }: { rights: TokenRights; today: Day },
  instances: readonly NamedInstance[],
): { kind: 'order'; order: RawOrder } | { kind: 'refused'; fail: Failures } {
  const type = rawTypes.find((rawType) => rawType === given.type)
  const instance = instances.find(
    ({ id }) => id === given.instance && (rights.instances === null || rights.instances.includes(id)),
  )
  const additional = given.additional?.length ? given.additional : null
  const columnsWrong = {
    standard: standardTrouble(given.standard, type),
    additional: additional && additionalTrouble(additional),
  }
  // Columns that are wrong are named already: filters are not blamed for them as well.
  const filters =
    type && !columnsWrong.standard && !columnsWrong.additional && given.filters?.length
      ? checkFilters(given.filters, { type, standard: given.standard, additional: additional ?? [] })
      : null
  const fail = withoutNull({
    ...columnsWrong,
    type: type ? null : `The type is one of ${rawTypes.join(', ')}`,
    instance: instance ? null : 'There is no such instance',
    start: startTrouble(given.start, today),
    end: endTrouble(given, today),
    filters: typeof filters === 'string' ? filters : null,
  })
  if (!type || !instance || typeof filters === 'string' || Object.keys(fail).length > 0)
    return { kind: 'refused', fail }
  return {
    kind: 'order',
    order: {
      type,
      instance,
      range: { start: given.start, end: given.end },
      standard: given.standard,
      additional,
      filters,
      name: given.name?.trim() || null,
      sendEmail: given.send_email ?? true,
    },
  }
}

function startTrouble(start: Day, today: Day): string | null {
  return daysBetween(start, today) > limits.rawDaysBack
    ? `The start is more than ${limits.rawDaysBack} days ago`
    : null
}

function endTrouble({ start, end }: Given, today: Day): string | null {
  if (end > today) return 'The end is later than today'
  return end < start ? 'The end lies before the start' : null
}

function standardTrouble(columns: readonly string[], type: RawType | undefined): string | null {
  if (columns.length < limits.rawStandardColumnsAtLeast) return 'At least one standard column is needed'
  if (new Set(columns).size < columns.length) return 'A standard column is given more than once'
  const strange = type && columns.find((column) => !rawStandardColumns[type].includes(column))
  return strange === undefined ? null : `There is no standard column ${strange} in this type`
}

function additionalTrouble(columns: readonly number[]): string | null {
  const max = limits.rawAdditionalColumnsByDefault
  if (!columns.every((column) => Number.isInteger(column) && column >= 1 && column <= max)) {
    return `Additional columns are whole numbers from 1 to ${max}`
  }
  return new Set(columns).size < columns.length ? 'An additional column is given more than once' : null
}

function withoutNull(troubles: Readonly<Record<string, string | null>>): Failures {
  const named = Object.entries(troubles).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(named)
}
