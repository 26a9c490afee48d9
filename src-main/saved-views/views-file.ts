import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as v from 'valibot'
import { range } from '#shared/bridge/schemas.ts'
import { DeskFailure, failureOf, deskFailure, invalid } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import { beforeAt, readWholeAddress, writeAddress } from '#shared/views/address.ts'
import { rangeOf } from '#shared/views/period.ts'
import { depths } from '#shared/views/saved-views.ts'
import type { SavedView } from '#shared/views/saved-views.ts'
import { readJson } from '#shared/values/schemas.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { isKnownView } from './view-queries.ts'

const format = 'traffic-desk-views'
const version = 1

/** Maximum size in bytes: far more than users save, and small enough to be read at once. */
export const largestFile = 2_000_000

/** A view in a file, without its place as the start view, which is local. */
type FiledView = Pick<SavedView, 'name' | 'address' | 'pinned' | 'depth'>

const file = v.object({ format: v.literal(format), version: v.number(), views: v.array(v.unknown()) })

const entry = v.object({
  name: v.string(),
  address: v.string(),
  pinned: v.optional(v.boolean(), false),
  // Another version may offer other depths.
  depth: v.optional(v.fallback(v.nullable(v.picklist(depths)), null), null),
})

const unreadable = (message: string, cause?: unknown) => deskFailure('invalid', message, { cause })

/** Maximum length, because names are shown in menus and file names. */
const longestName = 200

/** Normalises the name of a view to one line. @throws DeskFailure about `name` */
export function checkName(typed: string): string {
  const whole = typed.replace(/\p{Cs}/gu, '\u{fffd}').normalize('NFC')
  const name = readTyped(whole, 'name')
  if (name === '') throw invalid('Enter a name for the view.', 'name')
  if (name.length <= longestName) return name
  throw invalid(`This name is too long. Use up to ${longestName} characters.`, 'name')
}

/** Any day, for checking the length of a range. Presets are always valid. */
const anyDay = day('2000-01-01')

/** Maximum length in characters of an address with unknown parts, as for the view that was open last. */
const longestOdd = 8000

/**
 * Normalises the address of a view, which may come from an untrusted file. Unknown parts are preserved, and reported when the view is
 * opened.
 * @throws DeskFailure about `address` if it leads to neither figures nor rows, or to more days than any report has
 */
export function checkViewAddress(text: string): string {
  const { address, passedOver } = readWholeAddress(text)
  const written = writeAddress(address)
  const stored = passedOver.length > 0 && text.length <= longestOdd ? text : written
  const isKnown = isKnownView(text)
  if (isKnown && address.kind === 'rows' && (address.files.length > 0 || address.search !== '')) return stored
  if (!isKnown || (address.kind !== 'overview' && address.kind !== 'reports')) {
    throw invalid('Only Overview, reports and raw rows can be saved as a view.', 'address')
  }
  const ranges = [rangeOf(address.period, anyDay), beforeAt(address, anyDay)].filter((item) => item !== null)
  if (ranges.every((dayRange) => v.is(range, dayRange))) return stored
  throw invalid('This range is too long. The limit is ten years.', 'address')
}

/** Serialises views for a file. */
export function writeViews(views: readonly FiledView[]): string {
  const filed = views.map(({ name, address, pinned, depth }) => ({
    ...{ name, address, pinned },
    ...(depth !== null && { depth }),
  }))
  return `${JSON.stringify({ format, version, views: filed }, null, 2)}\n`
}

/**
 * Parses the views of a file, all or none.
 * @throws DeskFailure that names the unreadable view and the reason
 */
export function readViews(text: string): readonly FiledView[] {
  const read = readJson(file, text)
  if (!read) throw unreadable('This file contains no saved views.')
  if (read.version !== version) {
    throw unreadable("Another version of Traffic Desk wrote this file. This version can't read it.")
  }
  return read.views.map((view, place) => readEntry(view, place + 1))
}

function readEntry(value: unknown, number: number): FiledView {
  const read = v.safeParse(entry, value)
  if (!read.success) throw refused(`View ${number}`, 'It lacks a name or an address.')
  const { name, address, pinned, depth } = read.output
  try {
    return { name: checkName(name), address: checkViewAddress(address), pinned, depth }
  } catch (error) {
    throw refused(`View ${number}, “${shortened(name)}”,`, failureOf(error).message)
  }
}

const shortened = (name: string) => (name.length > 60 ? `${[...name].slice(0, 60).join('')}…` : name)

const refused = (which: string, why: string) =>
  unreadable(`${which} of this file cannot be read. ${why} Nothing was added.`)

/** Reads a file that the user chose. @throws DeskFailure with the reason if it cannot be a file of views */
export async function readViewsFile(path: string): Promise<string> {
  const bytes = await slowFolderGuard
    .run(dirname(path), () => bounded(path))
    .catch((error: unknown) => {
      if (error instanceof DeskFailure) throw error
      throw deskFailure('disk', "Can't read this file.", { cause: error })
    })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw unreadable('This file contains no saved views.', error)
  }
}

/** Limits the read: the path may not be a file, and a file may grow during the read. */
async function bounded(path: string): Promise<Uint8Array> {
  const found = await stat(path)
  if (!found.isFile()) throw unreadable('This file contains no saved views.')
  const handle = await open(path, 'r')
  try {
    const bytes = new Uint8Array(largestFile + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === bytes.length) break
    }
    if (length <= largestFile) return bytes.subarray(0, length)
    throw unreadable(`This file is too large. The limit is ${largestFile / 1e6} MB.`)
  } finally {
    await handle.close()
  }
}
