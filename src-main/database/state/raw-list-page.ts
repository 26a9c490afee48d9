import type { RawListColumn, RawListQuery, RawListSort } from '#shared/raw/listed.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { byCodePoints } from '#shared/values/code-points.ts'

/** The newest first, and where two are as new, by id: so stand reports that a sort leaves level. */
const newestFirst = (one: RawListRow, other: RawListRow): number =>
  byMoment(other.requested, one.requested) || byCodePoints(one.id, other.id)

/** What has not happened stands before all that has. */
function byMoment(one: string | null, other: string | null): number {
  const [left, right] = [momentOf(one), momentOf(other)]
  return left === right ? 0 : left < right ? -1 : 1
}

const momentOf = (moment: string | null): number => (moment === null ? -Infinity : Date.parse(moment))

type Compare = (one: RawListRow, other: RawListRow) => number

const text =
  (column: 'name' | 'instance' | 'type' | 'status'): Compare =>
  (one, other) =>
    byCodePoints(one[column], other[column])
const moment =
  (column: 'requested' | 'created' | 'failed' | 'timed_out' | 'cancelled' | 'expires'): Compare =>
  (one, other) =>
    byMoment(one[column], other[column])

const comparisons: Readonly<Record<RawListColumn, Compare>> = {
  name: text('name'),
  instance: text('instance'),
  type: text('type'),
  requested: moment('requested'),
  created: moment('created'),
  failed: moment('failed'),
  timed_out: moment('timed_out'),
  cancelled: moment('cancelled'),
  status: text('status'),
  expires: moment('expires'),
}

function bySort(sort: readonly RawListSort[]): Compare {
  const keys = sort.map(({ column, direction }) => ({
    compare: comparisons[column],
    sign: direction === 'asc' ? 1 : -1,
  }))
  return (one, other) => {
    for (const { compare, sign } of keys) {
      const order = compare(one, other) * sign
      if (order !== 0) return order
    }
    return newestFirst(one, other)
  }
}

/** Broad match on the first column, which is the name; upper and lower case are the same. */
function matcher({ search, startsWith }: RawListQuery): (row: RawListRow) => boolean {
  const wanted = search.toLowerCase()
  return ({ name }) =>
    startsWith ? name.toLowerCase().startsWith(wanted) : name.toLowerCase().includes(wanted)
}

/** A page of a list as raw/table answers it (specification: raw/table). A page beyond the last is empty. */
export function pageOf(
  rows: readonly RawListRow[],
  query: RawListQuery,
): { readonly rows: readonly RawListRow[]; readonly results: number; readonly pages: number } {
  const found = rows.filter(matcher(query)).sort(bySort(query.sort))
  const { page, limit } = query
  return {
    rows: found.slice((page - 1) * limit, page * limit),
    results: found.length,
    pages: Math.ceil(found.length / limit),
  }
}
