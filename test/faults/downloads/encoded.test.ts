import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import { percentOf } from '#shared/texts/downloads.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { namesIn, read } from '#test/src-main/raw/downloads/helpers.ts'
import { readyForAll } from '#test/src-main/raw/downloads/ready-report.ts'
import { archiveService, deskAt, report } from './archive-service.ts'

const ready = readyForAll()
const { downloadCoding, downloadChunks, downloadTags } = plainBehaviour
beforeEach(() => ready.running.control('DELETE', '/requests'))
afterEach(() => ready.running.behave({ downloadCoding, downloadChunks, downloadTags }))

const fault = (does: object, times: number | null = 1) =>
  ready.running.fault({ path: 'download', times, does })

/** Requests of the file server: their statuses, and whether they asked for a range. */
async function fetches(): Promise<readonly (readonly [number, boolean])[]> {
  const { requests } = (await ready.running.control('GET', '/requests')) as {
    requests: { path: string; status: number; parameters: { range?: string | null } }[]
  }
  return requests
    .filter(({ path }) => path === 'download')
    .map(({ status, parameters }) => [status, typeof parameters.range === 'string'] as const)
}

const codings = ['gzip', 'deflate', 'raw-deflate', 'br'] as const
const framings = [
  ['with a length', false],
  ['in chunks', true],
] as const

describe('a content encoding around an archive', () => {
  it.each(codings.flatMap((coding) => framings.map(([how, chunks]) => [coding, how, chunks] as const)))(
    'is undone: %s, %s',
    async (coding, _, chunks) => {
      await ready.running.behave({ downloadCoding: coding, downloadChunks: chunks })
      const { fetched, folder } = await ready.desk()
      const ended = await fetched(ready.record.id)
      expect(ended).toMatchObject({ state: { kind: 'saved' }, size: ready.bytes.length })
      expect(ended).not.toHaveProperty('recordedSize')
      expect(namesIn(folder)).toEqual([ended.file])
      expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
      expect(await fetches()).toEqual([[200, false]])
    },
  )

  it('has its progress by the encoded bytes, where their length is said', async () => {
    await ready.running.behave({ downloadCoding: 'gzip' })
    const encoded = gzipSync(ready.bytes).length
    await fault({ kind: 'drip', bytes: Math.ceil(encoded / 10), everyMilliseconds: 20 })
    const { fetched, events } = await ready.desk()
    await fetched(ready.record.id)
    const known = events
      .flatMap(({ changed }) => changed)
      .flatMap(({ state }) => (state.kind === 'running' && state.done > 0 ? [state] : []))
    expect(known.length).toBeGreaterThan(0)
    for (const { done, total } of known) {
      expect(total).toBe(encoded)
      expect(done).toBeLessThanOrEqual(encoded)
    }
  })

  it.each(framings)('is never gone on with by ranges: cut at random places, %s', async (_, chunks) => {
    await ready.running.behave({ downloadCoding: 'gzip', downloadChunks: chunks })
    const random = randomFrom(seed)
    const cuts = runs(3, 8)
    console.log(`encoded cuts: PROPERTY_SEED=${seed}, ${cuts} of them`)
    for (let cut = 0; cut < cuts; cut += 1) await fault({ kind: 'cut', after: random() })
    const { fetched, folder } = await ready.desk()
    const ended = await fetched(ready.record.id)
    expect(ended.state.kind).toBe('saved')
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
    expect(await fetches()).toEqual(Array.from({ length: cuts + 1 }, () => [200, false]))
  })

  it.each(['strong', 'dates'] as const)(
    'that comes only when a file is gone on with makes it begin again, whatever its tag says: %s',
    async (tags) => {
      await ready.running.behave({ downloadTags: tags })
      await fault({ kind: 'cut', after: 0.6 })
      const { started, fetched, until, folder } = await ready.desk()
      const id = await started(ready.record.id)
      await until(id, ({ state }) => state.kind === 'paused' && state.why === 'connection')
      await ready.running.behave({ downloadCoding: 'gzip' })
      const ended = await fetched(ready.record.id)
      expect(ended.state.kind).toBe('saved')
      expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
      expect((await fetches()).slice(-2)).toEqual([
        [206, true],
        [200, false],
      ])
    },
  )

  it('that comes no longer when it is begun again is no trouble', async () => {
    await ready.running.behave({ downloadCoding: 'gzip' })
    await fault({ kind: 'cut', after: 0.6 })
    const { started, fetched, until, folder } = await ready.desk()
    const id = await started(ready.record.id)
    const paused = await until(id, ({ state }) => state.kind === 'paused')
    expect(percentOf(paused)).toBeLessThanOrEqual(60)
    await ready.running.behave({ downloadCoding: 'identity' })
    const ended = await fetched(ready.record.id)
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
    expect(await fetches()).toEqual([
      [200, false],
      [200, false],
    ])
  })

  it.each(['zstd', 'gzip, gzip'] as const)('that is not known is named at once: %s', async (coding) => {
    await ready.running.behave({ downloadCoding: coding })
    const { fetched, folder } = await ready.desk()
    expect(await fetched(ready.record.id)).toMatchObject({
      state: {
        kind: 'failed',
        failure: { kind: 'malformed', message: expect.stringContaining(`the content encoding “${coding}”`) },
      },
    })
    expect(namesIn(folder)).toEqual([])
    expect(await fetches()).toHaveLength(1)
  })

  it.each([
    ['is truncated', (bytes: Buffer) => gzipSync(bytes).subarray(0, -9)],
    ['is damaged', (bytes: Buffer) => Buffer.concat([gzipSync(bytes).subarray(0, 5000), bytes])],
    ['is none', (bytes: Buffer) => bytes],
  ])('that %s saves nothing, and says so', async (_, encode) => {
    const server = await archiveService({
      bytes: encode(ready.bytes),
      headers: { 'content-encoding': 'gzip' },
    })
    const { fetched, folder } = await deskAt(server)
    expect(await fetched(report)).toMatchObject({
      state: {
        kind: 'failed',
        failure: {
          kind: 'malformed',
          message: expect.stringMatching(
            /content encoding is damaged\. Nothing was saved\. Try again later\.$/,
          ),
        },
      },
    })
    expect(namesIn(folder)).toEqual([])
  })

  it('that unpacks without end is left at the limit of archives', async () => {
    const bytes = gzipSync(Buffer.alloc(200 * 1024 * 1024))
    const server = await archiveService({ bytes, headers: { 'content-encoding': 'gzip' } })
    const { fetched, folder } = await deskAt(server)
    expect(await fetched(report)).toMatchObject({
      state: {
        kind: 'failed',
        failure: {
          kind: 'malformed',
          message: expect.stringMatching(/unpack to far more than a report has/),
        },
      },
    })
    expect(namesIn(folder)).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/archive.zip')).toHaveLength(1)
  })
})
