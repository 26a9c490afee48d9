import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { stateFile } from '#main/database/state/schema.ts'
import type { StoreSession } from '#main/database/store-session.ts'
import { failureOf } from '#shared/api/failure.ts'
import { noLimits } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import { reportId, row } from '../raw/fake-service.ts'
import {
  account,
  answer,
  firstId,
  firstDataScope,
  secondId,
  secondDataScope,
  sessionFor,
  temporaryFolder,
} from './helpers.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const sizes = [10, 3_000, 50_000]
const keyOf = (size: number) => `answer of ${size}`

const storedPlace = { dataScope: firstDataScope, subject: 'direct/browsers?' }
const storedRange = { start: day('2026-11-01'), end: day('2026-11-01') }
const storedFile = {
  term: 0,
  file: {
    path: `account=${firstDataScope}/report=direct-browsers/month=2026-11/0123456789abcdef-00000000.parquet` as HistoryPath,
    ...{ size: 10_000, checksum: '00000000', tables: 1 },
  },
  tables: [
    {
      ...{
        ...storedPlace,
        id: '0123456789abcdef' as TableId,
        range: storedRange,
        fetchedAt: 1_000 as Instant,
      },
      ...{ whole: true, rows: 9, doubt: null, head: 'x'.repeat(10_000) },
    },
  ],
}

const storedList = {
  account: firstId,
  fetchedAt: 1_000 as Instant,
  limits: noLimits,
  usage: {},
  rows: Array.from({ length: 30 }, (_, number) => row(`r${number}`)),
  ...{ missing: [], gone: [], dropped: [], undecided: false },
  announcements: [{ report: reportId('r1'), kind: 'ready', name: 'Report' } as const],
}

/** Closed files with an account, answers of several sizes and a table, as bytes. */
function wholeFiles(folder: string): Files {
  const session = sessionFor(folder)
  session.run('accounts/put', account())
  session.run('settings/write', { activeAccount: firstId })
  for (const size of sizes) session.run('answers/keep', answer({ key: keyOf(size), text: 'x'.repeat(size) }))
  session.run('tables/keep', storedFile)
  session.run('raw-reports/keep', storedList)
  session.close()
  return { state: readFileSync(stateFile(folder)), cache: readFileSync(cacheFile(folder)) }
}

type Files = { readonly state: Buffer; readonly cache: Buffer }

/** Where bytes are overwritten, as shares of the file's length, with what; and where the file is cut. */
const wounds = fc.record({
  hits: fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 400 }),
    }),
    { maxLength: 4 },
  ),
  cutAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
})

type Wounds = typeof wounds extends fc.Arbitrary<infer W> ? W : never

/** Uses everything that there is, twice: what was damaged has been replaced by then. Failures are foreseen ones. */
function useAll(session: StoreSession): void {
  for (let round = 0; round < 2; round += 1) {
    foreseen(() => session.run('accounts/list', undefined))
    foreseen(() => session.run('settings/read', undefined))
    for (const size of sizes)
      foreseen(() => session.run('answers/read', { dataScope: firstDataScope, key: keyOf(size) }))
    foreseen(() =>
      session.run('answers/newest', { dataScope: firstDataScope, path: 'direct/browsers', max: 10 }),
    )
    foreseen(() => session.run('tables/list', storedPlace))
    foreseen(() => session.run('raw-reports/known', { account: firstId }))
    foreseen(() => session.run('raw-announcements/unshown', undefined))
    foreseen(() => session.run('raw-announcements/summary', undefined))
    foreseen(() => session.run('tables/sizes', undefined))
    foreseen(() =>
      session.run('tables/let-oldest-go', { bytes: 4_000, spare: [{ ...storedPlace, range: storedRange }] }),
    )
  }
}

function foreseen(use: () => unknown): void {
  try {
    use()
  } catch (error) {
    expect(failureOf(error).kind).not.toBe('internal')
  }
}

function mutilated(whole: Buffer, { hits, cutAt }: Wounds): Buffer {
  const bytes = Buffer.from(
    whole.subarray(0, cutAt === null ? whole.length : Math.floor(cutAt * whole.length)),
  )
  for (const hit of hits)
    bytes.set(
      hit.bytes.subarray(0, bytes.length),
      Math.max(0, Math.floor(hit.at * bytes.length) - hit.bytes.length),
    )
  return bytes
}

it.each([
  ['state', stateFile],
  ['cache', cacheFile],
] as const)(
  'a %s mutilated anywhere never stops the desk: it opens, and what is new is kept',
  (which, fileIn) => {
    const files = wholeFiles(temporaryFolder())
    checkProperty(
      'mutilated files',
      fc.property(wounds, (wound) => {
        const place = temporaryFolder()
        writeFileSync(stateFile(place), files.state)
        writeFileSync(cacheFile(place), files.cache)
        writeFileSync(fileIn(place), mutilated(files[which], wound))
        const session = sessionFor(place)
        try {
          useAll(session)
          session.run('accounts/put', account({ id: secondId, name: 'New' }))
          session.run('answers/keep', answer({ dataScope: secondDataScope, text: 'new' }))
          expect(session.run('accounts/list', undefined).map(({ name }) => name)).toContain('New')
          expect(session.run('answers/read', { dataScope: secondDataScope, key: answer().key })?.text).toBe(
            'new',
          )
        } finally {
          session.close()
        }
      }),
      500,
    )
  },
  300_000,
)
