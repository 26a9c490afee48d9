import { appendFile, chmod, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Lane } from '#main/lib/lanes.ts'

/** Size in bytes at which the log is rotated. Only one rotated file exists, so both files have at most twice this size. */
const longest = 256 * 1024

/** Maximum length of an entry, in characters. */
const longestEntry = 4000

/** Per period (ms), each line is written once, and at most `maxLines` different lines. Further lines are counted. */
const period = 60_000
const maxLines = 200
/** Maximum size of all lines of a period, in bytes: less than a tenth of the log. */
const maxBytes = 32 * 1024

/** Writes one log entry: source, message and optional error. Never log responses or tokens. */
export type Log = (where: string, words: string, error?: unknown) => void

/**
 * Opens the log, a small file for support. URL queries and values next to the word token are removed. Repeated lines are
 * counted, so that they cannot displace earlier entries. Write errors are ignored.
 * @param file path of the log; the rotated file ends in `.old`
 */
export function openLog(
  file: string,
  now: () => number = Date.now,
): Log & { readonly written: () => Promise<void> } {
  const writing = new Lane()
  const write = (work: () => Promise<unknown>) => void writing.run(work).catch(() => undefined)
  write(() => mkdir(dirname(file), { recursive: true }))
  // Earlier versions created files that other users could read.
  for (const value of [file, `${file}.old`]) write(() => chmod(value, 0o600))
  /** Lines of this period, with the number of suppressed repetitions; below, the number of dropped lines. */
  const repeats = new Map<string, number>()
  let leftOut = 0
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const add = (text: string) => {
    const line = `${new Date(now()).toISOString()} ${text.replaceAll('\n', '\n  ')}\n`
    write(() => append(file, line))
  }
  const summarise = () => {
    clearTimeout(timer)
    timer = undefined
    for (const [text, times] of repeats) if (times > 0) add(`${text.split('\n')[0] ?? ''} · again × ${times}`)
    if (leftOut > 0) add(`log: ${leftOut} more lines were left out`)
    repeats.clear()
    leftOut = 0
    bytes = 0
  }
  const log: Log = (where, words, error) => {
    const text = entry(where, words, error)
    timer ??= setTimeout(summarise, period).unref()
    const times = repeats.get(text)
    const size = Buffer.byteLength(text)
    if (times !== undefined) repeats.set(text, times + 1)
    else if (repeats.size >= maxLines || bytes + size > maxBytes) leftOut += 1
    else {
      repeats.set(text, 0)
      bytes += size
      add(text)
    }
  }
  const written = () => {
    summarise()
    return writing.run(() => Promise.resolve())
  }
  return Object.assign(log, { written })
}

async function append(file: string, line: string): Promise<void> {
  await appendFile(file, line, { mode: 0o600 })
  const { size } = await stat(file)
  if (size > longest) await rename(file, `${file}.old`)
}

function entry(where: string, words: string, error: unknown): string {
  const detail = error === undefined ? '' : ` · ${detailOf(error)}`
  return withoutSecrets(`${where}: ${words}${detail}`).slice(0, longestEntry)
}

const detailOf = (error: unknown) =>
  error instanceof Error
    ? `${error.stack ?? `${error.name}: ${error.message}`}${causesOf(error)}`
    : typeof error

/** Causes from other threads and processes are texts meant for the log. Of other causes only the name is logged. */
function causesOf({ cause }: Error, depth = 0): string {
  if (typeof cause === 'string') return `\ncaused by ${cause}`
  if (!(cause instanceof Error) || depth > 3) return ''
  return `\ncaused by ${cause.name}${causesOf(cause, depth + 1)}`
}

/** Removes URL queries and token values. */
export function withoutSecrets(text: string): string {
  return (
    text
      // Matches only the last letter of the scheme: matching all of it takes seconds in a long word.
      .replace(/([a-z0-9+.-]:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1')
      .replace(/(token\w{0,40}["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi, '$1[left out]')
  )
}
