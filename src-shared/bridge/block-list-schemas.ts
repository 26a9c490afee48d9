import * as v from 'valibot'
import { expiries, maxListed } from '../archives/block-list.ts'
import type { ListOrigin, ListedRange } from '../archives/block-list.ts'
import { blockListFormats } from '../archives/platforms.ts'
import { instant } from '../values/schemas.ts'
import { listOf, networkText, shortText, someOf, text, viewAddress, whole } from './schemas.ts'

/** Options of a block list, and its column. */
export const listMaking = {
  column: text(20_000),
  by: v.picklist(['value', 'network']),
  minBad: whole(0, 1e9),
  minShare: v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
  format: v.picklist(blockListFormats),
  /** Missing in older lists. */
  campaign: v.optional(text(200), ''),
  onlyNew: v.optional(v.boolean(), false),
  expiry: v.optional(v.nullable(v.picklist(expiries)), null),
}

const seen = v.nullable(v.strictObject({ first: instant, last: instant }))

/** Ranges of a block list. */
export const listedRanges: v.GenericSchema<unknown, readonly ListedRange[]> = someOf(
  v.strictObject({ range: networkText, seen }),
  maxListed,
)

/** Origin of a block list. */
export const listOrigin: v.GenericSchema<unknown, ListOrigin> = v.strictObject({
  address: viewAddress,
  archives: listOf(shortText, 1000),
  filters: listOf(v.strictObject({ words: shortText, value: text(20_000) }), 100),
  period: seen,
  ...listMaking,
})
