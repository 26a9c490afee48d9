import * as v from 'valibot'
import { range } from '#shared/bridge/schemas.ts'
import { invalid } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import { beforeAt, readWholeAddress, writeAddress } from '#shared/views/address.ts'
import { rangeOf } from '#shared/views/period.ts'

/** Names stand in menus and file names. */
const longestName = 200

/** The name of a view as it is kept, on one line. @throws DeskFailure about `name` */
export function checkName(typed: string): string {
  const whole = typed.replace(/\p{Cs}/gu, '\u{fffd}').normalize('NFC')
  const name = whole.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (name === '') throw invalid('Enter a name for the view.', 'name')
  if (name.length <= longestName) return name
  throw invalid(`This name is too long. Use up to ${longestName} characters.`, 'name')
}

const pathOf = (address: string) => address.split('?', 1)[0]

/** Any day tells whether a range is one that can be asked for: presets always are. */
const anyDay = day('2000-01-01')

/** Longest address that is stored with parts that are not understood. In characters, as for the view that was open last. */
const longestOdd = 8000

/**
 * The address of a view as it is kept: read, and written anew. It may come from a file that anybody made. Parts that are not
 * understood stay: whoever opens the view is told of them.
 * @throws DeskFailure about `address` where it leads to neither figures nor rows, or to more days than any report has
 */
export function checkAddress(text: string): string {
  const { address, passedOver } = readWholeAddress(text)
  const written = writeAddress(address)
  const stored = passedOver.length > 0 && text.length <= longestOdd ? text : written
  // What is not understood reads as something else, which nobody meant to save.
  const meant = pathOf(written) === pathOf(text)
  if (meant && address.kind === 'rows' && (address.files.length > 0 || address.search !== '')) return stored
  if (!meant || (address.kind !== 'overview' && address.kind !== 'reports')) {
    throw invalid('Only Overview, reports and raw rows can be saved as a view.', 'address')
  }
  const ranges = [rangeOf(address.period, anyDay), beforeAt(address, anyDay)].filter((item) => item !== null)
  if (ranges.every((dayRange) => v.is(range, dayRange))) return stored
  throw invalid('This range is too long. The limit is ten years.', 'address')
}
