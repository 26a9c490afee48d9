import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportLog } from '#main/raw/polling/report-announcer.ts'
import { firstId, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { reportId } from '../raw/fake-service.ts'

const key = (id: string, kind: 'ready' | 'failed' = 'ready') => [firstId, reportId(id), kind] as const

describe('what was shown', () => {
  it('is on the disk at once, for whoever comes after', () => {
    const folder = temporaryFolder()
    const log = reportLog(folder)
    log.add([key('a'), key('b')])
    log.add([key('a'), key('a', 'failed')])
    log.takeBack([key('b'), key('never')])
    expect(log.keys()).toEqual([key('a'), key('a', 'failed')])
    expect(reportLog(folder).keys()).toEqual([key('a'), key('a', 'failed')])
    expect(statSync(join(folder, 'announced.log')).mode & 0o077).toBe(0)
    log.clear()
    expect(reportLog(folder).keys()).toEqual([])
    log.add([key('c')])
    expect(reportLog(folder).keys()).toEqual([key('c')])
  })

  it('is read without lines that were cut off, or are none', () => {
    const folder = temporaryFolder()
    reportLog(folder).add([key('a "é\n\0 中')])
    const file = join(folder, 'announced.log')
    appendFileSync(file, '{}\n["shown","x","y","no kind"]\n["shown","x"')
    expect(reportLog(folder).keys()).toEqual([key('a "é\n\0 中')])
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4)
  })

  it('is remembered where the folder refuses, as long as the app runs', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'announced.log'))
    const log = reportLog(folder)
    log.add([key('a')])
    expect(log.has(key('a'))).toBe(true)
    log.clear()
    expect(log.has(key('a'))).toBe(false)
  })
})
