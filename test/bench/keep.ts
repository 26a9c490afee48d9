import Database from 'better-sqlite3'
import { join, resolve } from 'node:path'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import { day } from '../../src-shared/values/day.ts'
import { decodeAnswer } from '../../src-main/service/decode/answer.ts'
import { openStore } from '../../src-main/store/store.ts'
import { temporaryFolder } from './measure/desk.ts'
import { comparison } from './measure/figures.ts'

const ROUNDS = 300
const WARM_UP = 30

/** A page of a table as the service sends it: 1,000 rows, labels encoded. */
function pageText(): string {
  const rows = Array.from({ length: 1000 }, (_, row) => {
    const counts = Array.from({ length: 6 }, (__, column) => ((row + 1) * 7919 * (column + 1)) % 100_000)
    return [encodeURIComponent(`host ${row}.example/é?a=${row}`), ...counts]
  })
  const headers = ['Host', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad%20Blocker']
  const total = { good: 1, warning: 2, bad: 3, mobile: 4, adblocker: null }
  return JSON.stringify({
    total,
    table: { headers, all: [false, 6, 1, 2, 3, 4, 0], rows },
    query: { start: 20261101, end: 20261107, instance: false, page: 1, limit: 1000, results: 1000, pages: 1 },
  })
}

/**
 * Keeping a page of 1,000 rows, from its text to the answer that it is on disk: decoded, checked and written by the
 * store's thread; against JSON.parse and a bare insert of the same text into a file opened alike.
 */
export async function keep(): Promise<string> {
  const text = pageText()
  const account = '00000000-0000-4000-8000-000000000001' as AccountId
  const store = openStore({
    folder: temporaryFolder('store'),
    worker: resolve(import.meta.dirname, '../../src-main/store/worker.ts'),
    onRebuilt: () => undefined,
  })
  await store.run('accounts/put', {
    id: account,
    name: 'Bench',
    kind: 'service',
    address: 'https://reports.example',
    bodyEncoding: 'json',
    dayZone: 'UTC',
  })
  const bare = new Database(join(temporaryFolder('bare-store'), 'bare.sqlite'))
  bare.pragma('journal_mode = WAL')
  bare.pragma('synchronous = NORMAL')
  bare.exec('CREATE TABLE page (key TEXT PRIMARY KEY, text TEXT NOT NULL)')
  const insert = bare.prepare(
    'INSERT INTO page VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text',
  )

  const ours: number[] = []
  const yardstick: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const key = `script/referrers?page=${round % 50}`
    const began = performance.now()
    decodeAnswer('script/referrers', text)
    await store.run('answers/keep', {
      account,
      key,
      path: 'script/referrers',
      range: { start: day('2026-11-01'), end: day('2026-11-07') },
      fetchedAt: (Date.now() + round) as Instant,
      text,
    })
    const kept = performance.now()
    JSON.parse(text)
    insert.run(key, text)
    const inserted = performance.now()
    if (round >= WARM_UP) {
      ours.push(kept - began)
      yardstick.push(inserted - kept)
    }
  }
  bare.close()
  await store.close()
  return comparison(
    'Keeping a page of 1,000 rows, against JSON.parse and a bare insert',
    'ms',
    ours,
    yardstick,
    2,
  )
}
