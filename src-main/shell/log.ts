import { appendFile, chmod, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Lane } from '#main/lib/lanes.ts'

/** A file this long is put aside, and one such file is kept: so the log never grows beyond twice this. In bytes. */
const longest = 256 * 1024

/** One line longer than this says nothing more to anybody. In characters. */
const longestEntry = 4000

/** In this time a line is written once, and so many different ones; what comes beyond is counted. In milliseconds. */
const period = 60_000
const maxLines = 200
/** All of them together are no longer than this, in bytes: less than a tenth of what the log holds. */
const maxBytes = 32 * 1024

/** Writes one line: where, what happened, and the error, if any. Never the text of an answer, never a token. */
export type Log = (where: string, words: string, error?: unknown) => void

/**
 * A small log for whoever helps this person. Queries of addresses are cut off, and so is whatever stands beside the
 * word token. What repeats itself is counted: nobody can push out of the log what stood in it before. A disk that refuses is
 * no reason to stop.
 *
 * @param file the file to write to; the one before it has `.old` at its end
 */
export function openLog(
  file: string,
  now: () => number = Date.now,
): Log & { readonly written: () => Promise<void> } {
  const writing = new Lane()
  const write = (work: () => Promise<unknown>) => void writing.run(work).catch(() => undefined)
  write(() => mkdir(dirname(file), { recursive: true }))
  // Those of earlier versions may have let others read them.
  for (const value of [file, `${file}.old`]) write(() => chmod(value, 0o600))
  /** What was written in this period, with how often it was not since; and how many lines were left out. */
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

/** What other threads and processes told of an error is a text, made for here; of other causes the name is enough. */
function causesOf({ cause }: Error, depth = 0): string {
  if (typeof cause === 'string') return `\ncaused by ${cause}`
  if (!(cause instanceof Error) || depth > 3) return ''
  return `\ncaused by ${cause.name}${causesOf(cause, depth + 1)}`
}

/** Takes out what has no place in a file that is sent to others. */
export function withoutSecrets(text: string): string {
  return (
    text
      // Of the scheme its last letter is enough: looking for all of it takes seconds in a long word.
      .replace(/([a-z0-9+.-]:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1')
      .replace(/(token\w{0,40}["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi, '$1[left out]')
  )
}
