import { appendFile, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Mutex } from '../lib/waiting.ts'

/** A file this long is put aside, and one such file is kept: so the log never grows beyond twice this. In bytes. */
const longest = 256 * 1024

/** One line longer than this says nothing more to anybody. In characters. */
const longestEntry = 4000

/** Writes one line: where, what happened, and the error, if any. Never the text of an answer, never a token. */
export type Log = (where: string, words: string, error?: unknown) => void

/**
 * A small log for whoever helps this person. Queries of addresses are cut off, and so is whatever stands beside the
 * word token. A disk that refuses is no reason to stop.
 *
 * @param file the file to write to; the one before it has `.old` at its end
 */
export function openLog(
  file: string,
  now: () => number = Date.now,
): Log & { readonly written: () => Promise<void> } {
  const writing = new Mutex()
  const write = (work: () => Promise<unknown>) => void writing.run(work).catch(() => undefined)
  write(() => mkdir(dirname(file), { recursive: true }))
  const log: Log = (where, words, error) => {
    const line = entry(now(), where, words, error)
    write(() => append(file, line))
  }
  return Object.assign(log, { written: () => writing.run(() => Promise.resolve()) })
}

async function append(file: string, line: string): Promise<void> {
  await appendFile(file, line, { mode: 0o600 })
  const { size } = await stat(file)
  if (size > longest) await rename(file, `${file}.old`)
}

function entry(time: number, where: string, words: string, error: unknown): string {
  const detail = error === undefined ? '' : ` · ${detailOf(error)}`
  const text = withoutSecrets(`${where}: ${words}${detail}`).slice(0, longestEntry)
  return `${new Date(time).toISOString()} ${text.replaceAll('\n', '\n  ')}\n`
}

const detailOf = (error: unknown) =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : typeof error

/** Takes out what has no place in a file that is sent to others. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1')
    .replace(/(token\w*["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi, '$1[left out]')
}
