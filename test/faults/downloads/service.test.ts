import { readdirSync, readlinkSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import type { Download } from '#shared/downloads/download.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { archiveOf, hasEnded, namesIn, read } from '#test/src-main/raw/downloads/helpers.ts'
import { readyForAll } from '#test/src-main/raw/downloads/ready-report.ts'

const ready = readyForAll()
beforeEach(async () => {
  const { downloadRanges, downloadTags, archiveVersion, emptyArchives } = plainBehaviour
  await ready.running.behave({ downloadRanges, downloadTags, archiveVersion, emptyArchives })
  await ready.running.control('DELETE', '/requests')
})

const direct = { resolveProxy: () => Promise.resolve('DIRECT') }
const short = { connect: 10_000, firstByte: 10_000, idle: 10_000 }
const desk = (changes = {}) => ready.desk({ network: { ...direct, timeouts: short }, ...changes })

/** Requests of the file server: their statuses, and from where on they asked. */
async function fetches(): Promise<readonly (readonly [number, string | null])[]> {
  const { requests } = (await ready.running.control('GET', '/requests')) as {
    requests: { path: string; status: number; parameters: { range?: string | null } }[]
  }
  return requests
    .filter(({ path }) => path === 'download')
    .map(({ status, parameters }) => [status, parameters.range ?? null] as const)
}

const fault = (does: object, times: number | null = 1) =>
  ready.running.fault({ path: 'download', times, does })

/** Which files below a folder this process has open; nobody says so but Linux. */
function handlesIn(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
}

async function expectSaved(ended: Download, folder: string, expected = ready.bytes): Promise<void> {
  expect(ended.state).toMatchObject({ kind: 'saved' })
  expect(namesIn(folder)).toEqual([ended.file])
  expect((await read(folder, ended.file)).equals(expected)).toBe(true)
  expect(handlesIn(folder)).toEqual([])
}

describe('a download that goes wrong', () => {
  it('goes on where it was cut, at many random places', async () => {
    const random = randomFrom(seed)
    const cuts = runs(10, 100)
    console.log(`cuts: PROPERTY_SEED=${seed}, ${cuts} of them`)
    // Each cut is a share of what is still missing, so that all of them fit into one file.
    for (let cut = 0; cut < cuts; cut += 1) await fault({ kind: 'cut', after: (random() * 8) / cuts })
    expect(ready.bytes.length).toBeGreaterThan(200_000)
    const { fetched, folder } = await desk()
    await expectSaved(await fetched(ready.record.id), folder)
    const asked = await fetches()
    expect(asked).toHaveLength(cuts + 1)
    expect(asked.filter(([status]) => status === 206).length).toBeGreaterThan(cuts * 0.8)
  }, 300_000)

  it('begins anew where the server knows no ranges', async () => {
    await ready.running.behave({ downloadRanges: false })
    await fault({ kind: 'cut', after: 0.6 })
    const { fetched, folder } = await desk()
    await expectSaved(await fetched(ready.record.id), folder)
    expect((await fetches()).map(([status]) => status)).toEqual([200, 200])
  })

  it.each(['weak', 'none'] as const)(
    'begins anew where the file can be told by %s tags',
    async (downloadTags) => {
      await ready.running.behave({ downloadTags })
      await fault({ kind: 'cut', after: 0.6 })
      const { fetched, folder } = await desk()
      await expectSaved(await fetched(ready.record.id), folder)
      expect(await fetches()).toEqual([
        [200, null],
        [200, null],
      ])
    },
  )

  it('goes on by a date too', async () => {
    await ready.running.behave({ downloadTags: 'dates' })
    await fault({ kind: 'cut', after: 0.6 })
    const { fetched, folder } = await desk()
    await expectSaved(await fetched(ready.record.id), folder)
    expect(await fetches()).toEqual([
      [200, null],
      [206, expect.stringMatching(/^bytes=\d{4,}-$/)],
    ])
  })

  it('is never made of two files: what changed between two ranges is begun anew', async () => {
    await ready.running.behave({ archiveVersion: 1 })
    await fault({ kind: 'cut', after: 0.6 })
    const { started, fetched, folder, until } = await desk()
    let switched = false
    const id = await started(ready.record.id)
    await until(id, ({ state }) => state.kind === 'paused' && state.why === 'connection')
    await ready.running.behave({ archiveVersion: 2 })
    switched = true
    const ended = await fetched(ready.record.id)
    expect(switched).toBe(true)
    await expectSaved(ended, folder, await archiveOf(ready.running, ready.record.id))
  })

  it('finds out where a date hides that the file changed: the archive is tested', async () => {
    await ready.running.behave({ archiveVersion: 1, downloadTags: 'dates' })
    await fault({ kind: 'cut', after: 0.6 })
    const { started, fetched, folder, until } = await desk()
    const id = await started(ready.record.id)
    await until(id, ({ state }) => state.kind === 'paused')
    await ready.running.behave({ archiveVersion: 2 })
    await expectSaved(await fetched(ready.record.id), folder, await archiveOf(ready.running, ready.record.id))
    // Continued, found out, begun anew.
    expect((await fetches()).map(([status]) => status).slice(0, 3)).toEqual([200, 206, 200])
  })

  it('takes a new address where the old one expired in mid-flight', async () => {
    await fault({ kind: 'cut', after: 0.3 })
    await fault({ kind: 'status', status: 403, retryAfter: null })
    await fault({ kind: 'status', status: 410, retryAfter: null })
    const { fetched, folder } = await desk()
    await expectSaved(await fetched(ready.record.id), folder)
    expect((await fetches()).map(([status]) => status)).toEqual([200, 403, 410, 206])
    const addresses = (await ready.running.requests()).filter(({ path }) => path === 'raw/download')
    expect(addresses).toHaveLength(4)
  })

  it('takes a new address where time passed the old one by while it was cut', async () => {
    await fault({ kind: 'cut', after: 0.3 })
    const { started, folder, until } = await desk()
    const id = await started(ready.record.id)
    await until(id, ({ state }) => state.kind === 'paused' && state.why === 'connection')
    // Addresses live for five minutes.
    await ready.running.control('POST', '/clock', { advance: 600_000 })
    const [before] = (await ready.running.requests()).filter(({ path }) => path === 'raw/download')
    expect(before).toBeDefined()
    await expectSaved(await until(id, hasEnded), folder)
    expect((await fetches()).map(([status]) => status)).toEqual([200, 206])
  })

  it.each([
    ['and its record says so', { emptyArchives: true }, null],
    ['though its record says another size', {}, { kind: 'nothing' }],
  ])('fails in words where the archive has no bytes, %s', async (_, behaviour, does) => {
    await ready.running.behave(behaviour)
    if (does !== null) await fault(does, null)
    const { fetched, folder, store } = await desk()
    const ended = await fetched(ready.record.id)
    expect(ended.state).toMatchObject({
      kind: 'failed',
      failure: {
        kind: 'malformed',
        message: expect.stringMatching(/(is empty|has 0 bytes).*Nothing was saved\. Try again later\.$/),
      },
    })
    expect(namesIn(folder)).toEqual([])
    expect(handlesIn(folder)).toEqual([])
    expect(await store.run('downloads/list', undefined)).toMatchObject([{ part: null, etag: null }])
    // The service mends it: it is fetched again, and whole.
    await ready.running.control('DELETE', '/faults')
    await ready.running.behave({ emptyArchives: false })
    await expectSaved(await fetched(ready.record.id), folder)
  })

  it('is tried again after passing trouble, resets, pages and broken lengths', async () => {
    for (const does of [
      { kind: 'status', status: 503, retryAfter: '1' },
      { kind: 'reset' },
      { kind: 'html' },
      { kind: 'nothing' },
      { kind: 'wrong-length' },
      { kind: 'cut', after: 0 },
    ])
      await fault(does)
    const { fetched, folder } = await desk()
    await expectSaved(await fetched(ready.record.id), folder)
    expect((await fetches()).map(([status]) => status)).toEqual([503, 0, 200, 200, 200, 200, 200])
  })

  it.each([
    ['always too short', { kind: 'wrong-length' }],
    ['always a page', { kind: 'html' }],
    ['always JSON', { kind: 'malformed' }],
    ['always refused', { kind: 'status', status: 403, retryAfter: null }],
    ['always in trouble', { kind: 'status', status: 502, retryAfter: null }],
    ['always cut at once', { kind: 'cut', after: 0 }],
    ['always reset', { kind: 'reset' }],
  ])('fails in words in the end, and leaves nothing that is wrong: %s', async (_, does) => {
    await fault(does, null)
    const { fetched, folder, downloads, store } = await desk()
    const ended = await fetched(ready.record.id)
    expect(ended.state).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringMatching(/\.$/) },
    })
    for (const name of namesIn(folder)) expect(name).toMatch(/\.part$/)
    await downloads.cancel(ended.id)
    expect(namesIn(folder)).toEqual([])
    expect(handlesIn(folder)).toEqual([])
    expect(await downloads.list()).toEqual([])
    expect(await store.run('downloads/list', undefined)).toEqual([])
  })

  it('gives a silent connection up', async () => {
    await fault({ kind: 'drip', bytes: 2000, everyMilliseconds: 3_600_000 })
    const { fetched, folder } = await desk({ timeouts: { ...short, firstByte: 300, idle: 300 } })
    await expectSaved(await fetched(ready.record.id), folder)
  })

  it('takes a slow drip for what it is', async () => {
    await fault({ kind: 'drip', bytes: Math.ceil(ready.bytes.length / 60), everyMilliseconds: 5 })
    const { fetched, folder, events } = await desk()
    await expectSaved(await fetched(ready.record.id), folder)
    expect(await fetches()).toEqual([[200, null]])
    expect(events.length).toBeGreaterThan(0)
  })
})
