import { dimensionEntry } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/families.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { SandboxRequest } from '../contracts/handler.ts'
import type { Events } from '../events/index.ts'
import type { EventColumns, IndexedColumn } from '../events/columns.ts'
import { fieldNamed } from '../events/fields.ts'
import type { Judge } from '../events/judge.ts'
import { DROP, familyOf, verdicts } from '../events/verdicts.ts'
import { requireInstance, sees } from '../request/rights.ts'

/** Which events a request counts. The range is apart: a chart counts the same selection day by day. */
export type Selection = {
  readonly columns: EventColumns
  readonly judge: Judge
  /** By verdict: whether the family has it. Referrers leave drops out, because those never told one. */
  readonly verdicts: Uint8Array
  /** For each column that is limited, which of its indexes are let through. */
  readonly limits: readonly { readonly column: IndexedColumn; readonly open: Uint8Array }[]
}

/** The filters of a request that apply: a filter is ignored while one of its parents is not given. */
export function applied(
  parameters: Readonly<Record<string, unknown>>,
  dimension: Dimension | undefined,
): [name: string, value: string][] {
  const own = dimension ? Object.entries(dimensionEntry(dimension).filters) : []
  const names = own
    .filter(([, { needs }]) => (needs ?? []).every((parent) => parameters[parent] !== undefined))
    .map(([name]) => name)
  return ['source', 'campaign', ...names].flatMap((name) => {
    const value = parameters[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
}

/** What one filter lets through: exactly what it names, or that in upper and lower case. */
function limitTo(name: string, value: string, { filterCase }: SandboxRequest['behaviour']) {
  const { column, texts } = fieldNamed(name)
  const folds = filterCase === 'any' && (name === 'source' || name === 'campaign')
  const folded = (text: string) => (folds ? text.toLowerCase() : text)
  return { column, open: Uint8Array.from(texts, (text) => (folded(text) === folded(value) ? 1 : 0)) }
}

/** Instances that the token sees, or the one that was asked for. */
function limitToInstances({ parameters, rights }: SandboxRequest, events: Events) {
  const { instance } = parameters
  const one =
    instance === undefined ? undefined : requireInstance(rights, String(instance), events.instances).id
  const open = events.instances.map(({ id }) => (one === undefined ? sees(rights, id) : id === one))
  return { column: 'instance' as const, open: Uint8Array.from(open, Number) }
}

/**
 * What a request of a family (and a dimension, where it is no overview) counts.
 * @throws Refusal where the token has no right to the instance, or there is no such instance
 */
export function selectionFor(
  request: SandboxRequest,
  events: Events,
  family: Family,
  dimension: Dimension | undefined,
): Selection {
  const withoutDrops = dimension !== undefined && dimensionEntry(dimension).lacks?.totals.includes('drops')
  const counted = verdicts.map(
    (_, verdict) => familyOf(verdict) === family && !(withoutDrops && verdict === DROP),
  )
  return {
    columns: events.columns,
    judge: events.judge(request.behaviour.restated),
    verdicts: Uint8Array.from(counted, Number),
    limits: [
      limitToInstances(request, events),
      ...applied(request.parameters, dimension).map(([name, value]) =>
        limitTo(name, value, request.behaviour),
      ),
    ],
  }
}

/** The range that a report request is for; both days are required and checked. */
export const rangeOf = ({ parameters }: SandboxRequest): DayRange =>
  ({ start: parameters['start'], end: parameters['end'] }) as DayRange
