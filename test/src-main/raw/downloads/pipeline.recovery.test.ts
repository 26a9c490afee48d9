import { linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recovered } from '#main/raw/downloads/pipeline.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { account, namesIn, temporaryFolder } from './helpers.ts'

const published = { kind: 'saved', at: 7 as Instant } as const

function stopped(folder: string, changes: Partial<StoredDownload> = {}): StoredDownload {
  return {
    id: '00000000-0000-4000-8000-000000000001' as DownloadId,
    account: account().id,
    report: 'report' as RawReportId,
    name: 'Weekly',
    folder,
    file: 'Weekly.zip',
    part: 'Weekly.zip.part',
    host: null,
    size: 4,
    etag: '"a"',
    expires: null,
    addedAt: 1 as Instant,
    state: { kind: 'publishing' },
    ...changes,
  }
}

describe('after a crash in the middle of naming', () => {
  it('changes nothing of what was not being named', async () => {
    const folder = temporaryFolder()
    expect(await recovered(stopped(folder, { state: { kind: 'waiting' } }), published)).toBeNull()
  })

  it('goes on where it had not begun', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'Weekly.zip.part'), 'four')
    expect(await recovered(stopped(folder), published)).toEqual({ state: { kind: 'waiting' } })
    expect(namesIn(folder)).toEqual(['Weekly.zip.part'])
  })

  it('takes the second name away where the file has both', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'Weekly.zip.part'), 'four')
    linkSync(join(folder, 'Weekly.zip.part'), join(folder, 'Weekly.zip'))
    expect(await recovered(stopped(folder), published)).toEqual({ part: null, state: published })
    expect(namesIn(folder)).toEqual(['Weekly.zip'])
  })

  it('knows the file where it has its name alone', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'Weekly.zip'), 'four')
    expect(await recovered(stopped(folder), published)).toEqual({ part: null, state: published })
  })

  it('clears the empty file away that took the name, and no other', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'Weekly.zip.part'), 'four')
    writeFileSync(join(folder, 'Weekly.zip'), '')
    expect(await recovered(stopped(folder), published)).toEqual({ state: { kind: 'waiting' } })
    expect(namesIn(folder)).toEqual(['Weekly.zip.part'])
    writeFileSync(join(folder, 'Weekly.zip'), 'mine')
    expect(await recovered(stopped(folder), published)).toEqual({ state: { kind: 'waiting' } })
    expect(namesIn(folder)).toEqual(['Weekly.zip', 'Weekly.zip.part'])
  })

  it.each([[undefined], ["another's, longer"]])(
    'begins anew where the part is gone and what lies there is %j',
    async (content) => {
      const folder = temporaryFolder()
      if (content !== undefined) writeFileSync(join(folder, 'Weekly.zip'), content)
      expect(await recovered(stopped(folder), published)).toEqual({
        part: null,
        etag: null,
        state: { kind: 'waiting' },
      })
    },
  )
})
