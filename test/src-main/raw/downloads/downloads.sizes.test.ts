import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import { percentOf } from '#shared/texts/downloads.ts'
import { archiveService, deskAt, report } from '#test/faults/downloads/archive-service.ts'
import { namesIn, read } from './helpers.ts'
import type { TestDownloads } from './helpers.ts'
import { zipOf } from '#test/src-main/files/made-archives.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()
const { raw, downloadChunks } = plainBehaviour
afterEach(() => ready.running.behave({ raw, downloadChunks }))

/** How far it was while it ran, by every event. */
const progress = ({ events }: TestDownloads) =>
  events
    .flatMap(({ changed }) => changed)
    .flatMap(({ state }) => (state.kind === 'running' ? [{ ...state, percent: percentOf({ state }) }] : []))

const inPieces = () =>
  ready.running.fault({
    path: 'download',
    does: { kind: 'drip', bytes: Math.ceil(ready.bytes.length / 10), everyMilliseconds: 20 },
  })

describe('a size in the record that is not that of the archive', () => {
  it.each(['kilobytes', 'unpacked', 'negative', 'text'] as const)(
    'keeps nothing from being saved, and progress follows the answer: %s',
    async (fileSizes) => {
      await ready.running.behave({ raw: { fileSizes } })
      await inPieces()
      const made = await ready.desk()
      const ended = await made.fetched(ready.record.id)
      expect(ended).toMatchObject({ state: { kind: 'saved' }, size: ready.bytes.length })
      expect((await read(made.folder, ended.file)).equals(ready.bytes)).toBe(true)
      const known = progress(made).filter(({ done }) => done > 0)
      expect(known.length).toBeGreaterThan(0)
      for (const { done, total } of known) {
        expect(total).toBe(ready.bytes.length)
        expect(done).toBeLessThanOrEqual(ready.bytes.length)
      }
      // Before the answer nobody knows.
      expect(
        progress(made).filter(({ done, percent }) => done === 0 && percent !== null && percent > 0),
      ).toEqual([])
    },
  )

  it.each(['kilobytes', 'unpacked'] as const)(
    'is no progress where the answer comes in chunks: %s',
    async (fileSizes) => {
      await ready.running.behave({ raw: { fileSizes }, downloadChunks: true })
      await inPieces()
      const made = await ready.desk()
      const ended = await made.fetched(ready.record.id)
      expect(ended).toMatchObject({ state: { kind: 'saved' }, size: ready.bytes.length })
      expect((await read(made.folder, ended.file)).equals(ready.bytes)).toBe(true)
      const running = progress(made)
      expect(running.some(({ done }) => done > 0)).toBe(true)
      expect(running.map(({ percent }) => percent)).toEqual(running.map(() => null))
    },
  )

  it('is a remark where it is a size at all', async () => {
    const saved = async (fileSizes: (typeof raw)['fileSizes']) => {
      await ready.running.behave({ raw: { fileSizes } })
      return await (await ready.desk()).fetched(ready.record.id)
    }
    const kilobytes = Math.round(ready.bytes.length / 1000)
    expect(await saved('kilobytes')).toMatchObject({ recordedSize: kilobytes })
    expect(await saved('bytes')).not.toHaveProperty('recordedSize')
    expect(await saved('zero')).not.toHaveProperty('recordedSize')
  })

  it('does not hide that an answer ended too early: half of an archive is none', async () => {
    await ready.running.behave({ raw: { fileSizes: 'kilobytes' } })
    await ready.running.fault({ path: 'download', times: null, does: { kind: 'wrong-length' } })
    const { fetched, folder } = await ready.desk()
    expect(await fetched(ready.record.id)).toMatchObject({
      state: { kind: 'failed', failure: { kind: 'malformed', message: expect.stringMatching(/not whole/) } },
    })
    expect(namesIn(folder)).toEqual([])
  })

  it('goes on after it was cut, by the length that its answer gave', async () => {
    await ready.running.behave({ raw: { fileSizes: 'unpacked' } })
    await ready.running.control('DELETE', '/requests')
    await ready.running.fault({ path: 'download', does: { kind: 'cut', after: 0.6 } })
    const made = await ready.desk()
    const ended = await made.fetched(ready.record.id)
    expect((await read(made.folder, ended.file)).equals(ready.bytes)).toBe(true)
    const statuses = (await ready.running.requests())
      .filter(({ path }) => path === 'download')
      .map(({ status }) => status)
    expect(statuses).toEqual([200, 206])
    for (const { total, done } of progress(made).filter(({ total }) => total !== null)) {
      expect(total).toBe(ready.bytes.length)
      expect(done).toBeLessThanOrEqual(ready.bytes.length)
    }
  })

  it.each([
    ['no disk has room for', 60 * 1024 ** 3],
    ['no disk has', Number.MAX_SAFE_INTEGER],
  ])('that %s stops nothing that fits by its answer', async (_, recorded) => {
    const bytes = await zipOf({ 'report.csv': 'TIMESTAMP,SOURCE\r\n' })
    const { fetched, folder } = await deskAt(await archiveService({ bytes, recorded }))
    const ended = await fetched(report)
    expect(ended).toMatchObject({ state: { kind: 'saved' }, recordedSize: recorded })
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
  })
})

describe('a report whose moments have no offset', () => {
  it.each(['iso-without-offset', 'space-without-offset'] as const)(
    'has a file of the time at which it was made, in any time zone: %s',
    async (moments) => {
      await ready.running.behave({ raw: { moments } })
      vi.stubEnv('TZ', 'America/New_York')
      onTestFinished(() => void vi.unstubAllEnvs())
      const { folder, fetched } = await ready.desk()
      const ended = await fetched(ready.record.id)
      expect((await stat(join(folder, ended.file))).mtimeMs).toBe(Date.parse(ready.record.created ?? ''))
    },
  )
})
