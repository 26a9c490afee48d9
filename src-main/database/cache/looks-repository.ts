import * as v from 'valibot'
import type { Day } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, remove, table } from '../sqlite/database.ts'

const look = v.object({ owner: branded<DataScopeId>(), address: v.string(), seenAt: instant })

/** A view that was looked at, by its address. What the text says is checked by who reads it. */
export type StoredLook = Readonly<v.InferOutput<typeof look>>

const looks = table('looks', look)
const spent = table('look_requests', v.object({ requests: v.pipe(v.number(), v.integer(), v.minValue(0)) }))

/** More views than anybody comes back to; in each data scope the latest stay. */
const maxLooks = 50

type OnDay = { readonly owner: DataScopeId; readonly day: Day }

const requestsOn = (from: Reader, { owner, day }: OnDay): number =>
  spent.first(from, 'WHERE owner = ? AND day = ?', owner, day)?.requests ?? 0

export const lookOperations = {
  /** Views of all data scopes whose days are still to be saved, the latest first. */
  'looks/list': (from: Reader): readonly StoredLook[] =>
    looks.list(from, 'ORDER BY seen_at DESC, owner, address'),
  /** Puts a view first, in place of the same one. */
  'looks/put': (into: Writer, { owner, address, seenAt }: StoredLook): void =>
    into.together(() => {
      put(into, 'looks', ['owner', 'address'], { owner, address, seenAt })
      into.write(
        `DELETE FROM looks WHERE owner = ? AND address NOT IN
           (SELECT address FROM looks WHERE owner = ? ORDER BY seen_at DESC, address LIMIT ?)`,
        ...[owner, owner, maxLooks],
      )
    }),
  /** Its days are saved, or cannot be. One that was looked at again since stays. */
  'looks/remove': (from: Writer, { owner, address, seenAt }: StoredLook): void =>
    void remove(from, 'looks', { owner, address, seenAt }),
  /** Nothing of a data scope is still to be saved. */
  'looks/forget': (from: Writer, owner: DataScopeId): void => void remove(from, 'looks', { owner }),
  /** The same of all. */
  'looks/forget-all': (from: Writer): void => void from.write('DELETE FROM looks'),
  /** How many requests saving such days took on a day. */
  'looks/requests': requestsOn,
  /** Counts requests of a day; those of other days are forgotten. @returns how many there were on this one */
  'looks/count-requests': (
    into: Writer,
    { owner, day, requests }: OnDay & { readonly requests: number },
  ): number =>
    into.together(() => {
      const sum = requestsOn(into, { owner, day }) + requests
      put(into, 'look_requests', ['owner'], { owner, day, requests: sum })
      return sum
    }),
} as const
