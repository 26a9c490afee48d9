import * as v from 'valibot'
import { blockListFormats } from '../archives/block-list.ts'
import type { ListOrigin } from '../archives/block-list.ts'
import { parseNetwork } from '../archives/network.ts'
import type { DroppedFileId, RowsFileId } from '../archives/rows-file.ts'
import { maxSortKeys, recountReasons, recountVerdicts } from '../archives/rows.ts'
import type { CellTest, GroupKey, GroupSort, RowsCondition, RowsQuestion, Recount } from '../archives/rows.ts'
import { branded, instant, failure } from '../values/schemas.ts'
import { accountId, shortText, viewAddress } from './schemas.ts'

export const rowsFileId = branded<RowsFileId>(
  v.pipe(v.string(), v.regex(/^(report|file)-./), v.maxLength(1100)),
)

/** What a block list was made of. */
export const listOrigin: v.GenericSchema<unknown, ListOrigin> = v.strictObject({
  address: viewAddress,
  archives: v.pipe(v.array(shortText), v.maxLength(1000)),
  filters: v.pipe(
    v.array(v.strictObject({ words: shortText, value: v.pipe(v.string(), v.maxLength(20_000)) })),
    v.maxLength(100),
  ),
  period: v.nullable(v.strictObject({ first: instant, last: instant })),
  column: v.pipe(v.string(), v.maxLength(20_000)),
  by: v.picklist(['value', 'network']),
  onlyBad: v.boolean(),
  format: v.picklist(blockListFormats),
})

export const droppedFileId = branded<DroppedFileId>(v.pipe(v.string(), v.uuid()))

/** The name of a column, or text that is looked for in one. */
export const cellText = v.pipe(v.string(), v.maxLength(20_000))

const cellTest: v.GenericSchema<unknown, CellTest> = v.variant('kind', [
  v.strictObject({ kind: v.literal('is'), value: cellText }),
  v.strictObject({
    kind: v.literal('one-of'),
    values: v.pipe(v.array(cellText), v.minLength(1), v.maxLength(1000)),
  }),
  v.strictObject({ kind: v.literal('contains'), value: cellText }),
  v.strictObject({ kind: v.literal('begins-with'), value: cellText }),
  v.strictObject({ kind: v.literal('empty') }),
  v.strictObject({
    kind: v.literal('in-network'),
    network: v.pipe(
      v.string(),
      v.maxLength(100),
      v.check(
        (text) => parseNetwork(text) !== undefined,
        'A range of addresses is written as 198.51.100.0/24',
      ),
    ),
  }),
  v.strictObject({ kind: v.literal('once') }),
  v.strictObject({ kind: v.literal('between'), from: v.nullable(instant), to: v.nullable(instant) }),
])

export const rowsCondition: v.GenericSchema<unknown, RowsCondition> = v.strictObject({
  column: cellText,
  out: v.boolean(),
  test: cellTest,
})

export const rowsQuestion: v.GenericSchema<unknown, RowsQuestion> = v.strictObject({
  account: accountId,
  files: v.pipe(v.array(rowsFileId), v.minLength(1), v.maxLength(1000)),
  conditions: v.pipe(v.array(rowsCondition), v.maxLength(100)),
  sort: v.pipe(
    v.array(v.strictObject({ column: cellText, direction: v.picklist(['asc', 'desc']) })),
    v.maxLength(maxSortKeys),
  ),
})

export const groupKey: v.GenericSchema<unknown, GroupKey> = v.strictObject({
  column: cellText,
  by: v.picklist(['value', 'network', 'day', 'hour']),
})

export const groupSort: v.GenericSchema<unknown, GroupSort> = v.strictObject({
  by: v.variant('kind', [
    v.strictObject({ kind: v.literal('rows') }),
    v.strictObject({ kind: v.literal('bad') }),
    v.strictObject({ kind: v.literal('bad-share') }),
    v.strictObject({ kind: v.literal('result'), result: cellText }),
    v.strictObject({ kind: v.literal('key'), place: v.picklist([0, 1, 2]) }),
  ]),
  direction: v.picklist(['asc', 'desc']),
})

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A recount as it lies among what is kept. */
export const recount: v.GenericSchema<unknown, Recount> = v.object({
  figures: v.array(
    v.object({ day: v.string(), member: v.string(), counted: count, saved: v.nullable(count) }),
  ),
  compared: v.object({ counted: count, saved: count, differing: count }),
  verdict: v.picklist(recountVerdicts),
  reasons: v.array(v.picklist(recountReasons)),
  failure: v.nullable(failure),
})
