import Database from 'better-sqlite3'
import { join, resolve } from 'node:path'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import { addDays, day, dayAt, dayToWire } from '#shared/values/day.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { openStore } from '#main/database/open-store.ts'
import { startSandbox, temporaryFolder } from './measure/desk.ts'
import { comparison } from './measure/figures.ts'

const account: LiveAccount = {
  id: '00000000-0000-4000-8000-000000000001' as AccountId,
  name: 'Bench',
  kind: 'service',
  address: 'https://reports.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
}

const ROUNDS = 40
const WARM_UP = 5
/** The pages of a wide table: 50,000 rows. */
const PAGES = 50

/** A page of 1,000 rows as the stand-in service sends it: hosts of its wide instance over four weeks. */
async function pageText(): Promise<string> {
  const sandbox = await startSandbox()
  const today = dayAt(Date.now(), 'UTC')
  const answer = await fetch(`${sandbox.address}/v1/script/referrers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      token: sandbox.token,
      start: dayToWire(addDays(today, -28)),
      end: dayToWire(addDays(today, -1)),
      limit: 1000,
    }),
  })
  const text = await answer.text()
  await sandbox.close()
  const rows = decodeAnswer('script/referrers', text).table.rows.length
  if (rows !== 1000) throw new Error(`The page has ${rows} rows instead of 1,000`)
  return text
}

/** Milliseconds that something takes. */
async function timed(what: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await what()
  return performance.now() - began
}

/**
 * Keeping a page of 1,000 rows, from its text to the answer that it is on disk: decoded, checked and written by the
 * store's thread; against JSON.parse and a bare insert of the same text into a file opened alike. Once alone, with
 * the way to the thread and back in full; once per page of a wide table, whose pages are decoded while the thread
 * writes the ones before.
 */
export async function keep(): Promise<string> {
  const text = await pageText()
  const store = openStore({
    folder: temporaryFolder('store'),
    worker: resolve(import.meta.dirname, '../../src-main/database/store-worker.ts'),
  })
  await store.run('accounts/put', account)
  let fetchedAt = Date.now()
  const storePage = (page: number) => {
    decodeAnswer('script/referrers', text)
    fetchedAt += 1
    return store.run('answers/keep', {
      dataScope: account.id as string as DataScopeId,
      term: 0,
      key: `script/referrers?page=${page}`,
      path: 'script/referrers',
      range: { start: day('2026-11-01'), end: day('2026-11-07') },
      fetchedAt: fetchedAt as Instant,
      text,
      madeOf: '',
    })
  }
  const { insertPage, close } = openBare(text)
  const pages = Array.from({ length: PAGES }, (_, page) => page)

  const alone = { ours: [] as number[], bare: [] as number[] }
  const inRow = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const page of pages) {
      const ours = await timed(() => storePage(page))
      const bare = await timed(() => insertPage(page))
      if (round >= WARM_UP) alone.ours.push(ours)
      if (round >= WARM_UP) alone.bare.push(bare)
    }
    const ours = await timed(() => Promise.all(pages.map(storePage)))
    const bare = await timed(async () => {
      for (const page of pages) await insertPage(page)
    })
    if (round >= WARM_UP) inRow.ours.push(ours / PAGES)
    if (round >= WARM_UP) inRow.bare.push(bare / PAGES)
  }
  close()
  await store.close()
  return [
    comparison('Keeping a page of 1,000 rows, per page of a wide table', 'ms', inRow.ours, inRow.bare, 2),
    comparison('Keeping a lone page of 1,000 rows', 'ms', alone.ours, alone.bare, 2),
  ].join('\n\n')
}

/** The yardstick: parse, and insert the text. */
function openBare(text: string) {
  const database = new Database(join(temporaryFolder('bare-store'), 'bare.sqlite'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('CREATE TABLE page (key TEXT PRIMARY KEY, fetched_at INTEGER NOT NULL, text TEXT NOT NULL)')
  const insert = database.prepare(
    `INSERT INTO page VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET fetched_at = excluded.fetched_at, text = excluded.text`,
  )
  // Without another time SQLite finds the row unchanged, and writes nothing.
  let fetchedAt = Date.now()
  return {
    insertPage: (page: number) => {
      JSON.parse(text)
      insert.run(`script/referrers?page=${page}`, (fetchedAt += 1), text)
      return Promise.resolve()
    },
    close: () => database.close(),
  }
}
