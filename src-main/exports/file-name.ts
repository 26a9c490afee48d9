import type { DayRange } from '../../src-shared/values/day.ts'

/** File systems take 255 bytes; names stay well below, with room for a number, an ending and a mark of their own. */
const LONGEST_STEM = 96
const MOST_BYTES = 200

/** Names that Windows keeps for devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:$|\.)/i

/** Separators and wildcards of any system, control characters, and what turns the reading direction unseen. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/**
 * A file's name without its ending, from text that anybody may have written: no separators, nothing hidden, nothing that
 * a system keeps for itself, at most 96 characters and 200 bytes.
 */
export function safeStem(text: string): string {
  let stem = ''
  const plain = text.replace(UNSAFE, ' ').normalize('NFC').replace(/\s+/g, ' ')
  for (const character of plain.replace(/^[. ]+/, '')) {
    const longer = stem + character
    if (longer.length > LONGEST_STEM || Buffer.byteLength(longer) > MOST_BYTES) break
    stem = longer
  }
  stem = stem.replace(/[. ]+$/, '')
  if (stem === '') return 'Export'
  return DEVICE.test(stem) ? `_${stem}` : stem
}

/** The name of an export: whose, what, and of which days where there are any. The account's part gives way first. */
export function exportStem(account: string, report: string, range: DayRange | null): string {
  const days =
    range === null ? [] : [range.start === range.end ? range.start : `${range.start} to ${range.end}`]
  const rest = [safeStem(report).slice(0, 48).trim(), ...days].join(' - ')
  const whose = [...safeStem(account)].slice(0, 40).join('').trim()
  return safeStem(`${whose} - ${rest}`)
}

/** The name that is tried the n-th time: `Report.csv`, `Report (2).csv`, … */
export function numbered(stem: string, ending: string, turn: number): string {
  return `${stem}${turn === 1 ? '' : ` (${turn})`}.${ending}`
}
