import * as v from 'valibot'
import type { Day } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, remove, table } from '../sqlite/database.ts'

const look = v.object({ dataScope: branded<DataScopeId>(), address: v.string(), seenAt: instant })

/** A recently opened view, by address. The reader validates its text. */
export type StoredLook = Readonly<v.InferOutput<typeof look>>

const looks = table('looks', look)
const spent = table('look_requests', v.object({ requests: v.pipe(v.number(), v.integer(), v.minValue(0)) }))

/** Maximum views per data scope; the latest remain. */
const maxLooks = 50

type OnDay = { readonly dataScope: DataScopeId; readonly day: Day }

const requestsOn = (from: Reader, { dataScope, day }: OnDay): number =>
  spent.first(from, 'WHERE data_scope = ? AND day = ?', dataScope, day)?.requests ?? 0

export const lookOperations = {
  /** Lists the views whose days are still to be saved, latest first. */
  'looks/list': (from: Reader): readonly StoredLook[] =>
    looks.list(from, 'ORDER BY seen_at DESC, data_scope, address'),
  /** Adds a view, or moves it to the front. */
  'looks/put': (into: Writer, { dataScope, address, seenAt }: StoredLook): void =>
    into.together(() => {
      put(into, 'looks', ['dataScope', 'address'], { dataScope, address, seenAt })
      into.write(
        `DELETE FROM looks WHERE data_scope = ? AND address NOT IN
           (SELECT address FROM looks WHERE data_scope = ? ORDER BY seen_at DESC, address LIMIT ?)`,
        ...[dataScope, dataScope, maxLooks],
      )
    }),
  /** Removes a view whose days are saved or cannot be saved. Does nothing if the view was opened again meanwhile. */
  'looks/remove': (from: Writer, { dataScope, address, seenAt }: StoredLook): void =>
    void remove(from, 'looks', { dataScope, address, seenAt }),
  /** Removes all views of a data scope. */
  'looks/forget': (from: Writer, dataScope: DataScopeId): void => void remove(from, 'looks', { dataScope }),
  /** Removes the views of all data scopes. */
  'looks/forget-all': (from: Writer): void => void from.write('DELETE FROM looks'),
  /** Returns the number of requests for saving days on a day. */
  'looks/requests': requestsOn,
  /** Adds requests to a day's count and resets the count of other days. @returns the day's count */
  'looks/count-requests': (
    into: Writer,
    { dataScope, day, requests }: OnDay & { readonly requests: number },
  ): number =>
    into.together(() => {
      const sum = requestsOn(into, { dataScope, day }) + requests
      put(into, 'look_requests', ['dataScope'], { dataScope, day, requests: sum })
      return sum
    }),
} as const
