import * as v from 'valibot'
import { parseDay } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { Behaviour, Fault } from '../contracts/behaviour.ts'
import { sandboxInstances } from '../events/catalogue/instances.ts'
import { switchedTokens } from './state.ts'

const wholeFrom = (min: number) => v.pipe(v.number(), v.integer(), v.minValue(min))
const window = v.nullable(wholeFrom(1))
const milliseconds = v.pipe(v.number(), v.minValue(0))

const day = v.pipe(
  v.string(),
  v.check((text) => parseDay(text) !== undefined, 'Expected a day such as "2026-11-20"'),
  v.transform((text) => text as Day),
)

const instance = v.picklist(sandboxInstances.map(({ id }) => id))

const behaviourEntries = {
  windows: v.partial(v.strictObject({ tables: window, overview: window, lookups: window })),
  spaces: v.picklist(['percent', 'plus', 'mixed']),
  instanceIds: v.picklist(['number', 'text', 'mixed']),
  errorBodies: v.picklist(['error-text', 'error-object', 'message', 'html', 'empty']),
  charts: v.picklist(['all', 'direct-overview', 'none', 'unknown-shape']),
  rates: v.picklist(['numbers', 'texts', 'none']),
  rules: v.boolean(),
  sortColumnsFrom: v.picklist([0, 1]),
  searchedAll: v.picklist(['everything', 'found']),
  bodies: v.picklist(['both', 'json', 'form']),
  filterCase: v.picklist(['apart', 'any']),
  echoesToken: v.boolean(),
  unknownMembers: v.boolean(),
  raw: v.partial(
    v.strictObject({
      refusals: v.picklist(['feedback', 'bad-request']),
      minutes: wholeFrom(0),
      atOnce: wholeFrom(1),
      secondsPerMinute: v.pipe(v.number(), v.minValue(0)),
      list: v.picklist(['whole', 'rows-left-out', 'reports-hidden', 'rows-twice']),
      labels: v.picklist(['known', 'strange']),
    }),
  ),
  downloadRanges: v.boolean(),
  downloadTags: v.picklist(['strong', 'weak', 'dates', 'none']),
  archiveVersion: v.pipe(wholeFrom(0), v.maxValue(9999)),
  emptyArchives: v.boolean(),
  restated: v.array(day),
  turns: v.pipe(
    v.array(v.strictObject({ requests: wholeFrom(1), instances: v.pipe(v.array(instance), v.readonly()) })),
    v.readonly(),
  ),
  clockSkew: v.nullable(v.pipe(v.number(), v.integer())),
} satisfies Record<keyof Behaviour, unknown>

/** Part of a behaviour: what is left out stays as it is. */
export const behaviourChange = v.partial(v.strictObject(behaviourEntries))

export type BehaviourChange = v.InferOutput<typeof behaviourChange>

const does = v.variant('kind', [
  v.strictObject({ kind: v.literal('delay'), milliseconds }),
  v.strictObject({
    kind: v.literal('status'),
    status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
    retryAfter: v.optional(v.nullable(v.string()), null),
  }),
  v.strictObject({ kind: v.literal('cut'), after: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) }),
  v.strictObject({ kind: v.literal('html') }),
  v.strictObject({ kind: v.literal('malformed') }),
  v.strictObject({ kind: v.literal('drip'), bytes: wholeFrom(1), everyMilliseconds: milliseconds }),
  v.strictObject({ kind: v.literal('redirect'), to: v.pipe(v.string(), v.url()) }),
  v.strictObject({ kind: v.literal('reset') }),
  v.strictObject({ kind: v.literal('wrong-length') }),
  v.strictObject({ kind: v.literal('nothing') }),
])

/** A fault; for any path and for once, unless it says otherwise. */
export const faultSchema: v.GenericSchema<unknown, Fault> = v.strictObject({
  path: v.optional(v.nullable(v.string()), null),
  times: v.optional(v.nullable(wholeFrom(1)), 1),
  does,
})

export const clockChange = v.strictObject({ advance: milliseconds })

const token = v.picklist(switchedTokens)

export const tokenChange = v.union(
  [
    v.strictObject({ revoke: token }),
    v.strictObject({ restore: token }),
    v.strictObject({ limit: v.array(instance) }),
  ],
  'Expected {"revoke": …} or {"restore": …} with "admin" or "limited", or {"limit": [ids of instances]}',
)

export const rawChange = v.strictObject({ next: v.picklist(['fail', 'time-out']) })

export const restatement = v.strictObject({ days: v.array(day) })

/** The behaviour with a change made to it. */
export function changed(behaviour: Behaviour, change: BehaviourChange): Behaviour {
  const given = withoutUndefined(change)
  return {
    ...behaviour,
    ...given,
    windows: { ...behaviour.windows, ...withoutUndefined(change.windows ?? {}) },
    raw: { ...behaviour.raw, ...withoutUndefined(change.raw ?? {}) },
  }
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(value: T): Given<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Given<T>
}
