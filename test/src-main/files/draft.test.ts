import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDraft } from '#main/files/draft.ts'
import { exportStem } from '#main/exports/export-stem.ts'
import { safeStem } from '#shared/values/text.ts'
import { day } from '#shared/values/day.ts'
import { awkwardText, seeded } from '../exports/awkward.ts'
import { temporaryFolder } from '../exports/helpers.ts'

const names = (folder: string) => readdirSync(folder).sort()

describe('a file in the making', () => {
  it('gets its name once it is written, and leaves nothing else', async () => {
    const folder = temporaryFolder()
    const draft = await createDraft(folder)
    writeFileSync(draft.path, 'figures')
    expect(names(folder)).toEqual([expect.stringMatching(/^\.traffic-desk-.*\.part$/)])
    expect(await draft.publish('Report', 'csv')).toBe('Report.csv')
    await draft.discard()
    expect(names(folder)).toEqual(['Report.csv'])
    expect(readFileSync(join(folder, 'Report.csv'), 'utf8')).toBe('figures')
  })

  it('never replaces what is there: it is numbered', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'Report.csv'), 'mine')
    mkdirSync(join(folder, 'Report (2).csv'))
    symlinkSync('/nowhere', join(folder, 'Report (3).csv'))
    const draft = await createDraft(folder)
    expect(await draft.publish('Report', 'csv')).toBe('Report (4).csv')
    expect(readFileSync(join(folder, 'Report.csv'), 'utf8')).toBe('mine')
  })

  it('gives each its own name where many finish at once', async () => {
    const folder = temporaryFolder()
    const drafts = await Promise.all(Array.from({ length: 12 }, () => createDraft(folder)))
    const published = await Promise.all(drafts.map((draft) => draft.publish('Report', 'csv')))
    expect(new Set(published).size).toBe(12)
    expect(names(folder)).toHaveLength(12)
  })

  it('makes the folder where it is not there yet, and says so where it cannot', async () => {
    const folder = join(temporaryFolder(), 'Downloads')
    const draft = await createDraft(folder)
    expect(existsSync(draft.path)).toBe(true)
    await expect(createDraft(join(folder, 'gone', 'Downloads'))).rejects.toMatchObject({
      failure: { kind: 'disk', message: expect.stringContaining('is missing') },
    })
    writeFileSync(join(folder, 'file'), '')
    await expect(createDraft(join(folder, 'file'))).rejects.toMatchObject({ failure: { kind: 'disk' } })
  })

  it('clears away what an app that was killed left a day ago, and nothing else', async () => {
    const folder = temporaryFolder()
    const long = new Date(Date.now() - 2 * 24 * 3_600_000)
    for (const name of ['.traffic-desk-old.part', '.other-old.part', 'mine.part']) {
      writeFileSync(join(folder, name), '')
      utimesSync(join(folder, name), long, long)
    }
    writeFileSync(join(folder, '.traffic-desk-young.part'), '')
    const draft = await createDraft(folder)
    await draft.discard()
    expect(names(folder)).toEqual(['.other-old.part', '.traffic-desk-young.part', 'mine.part'])
  })
})

describe('a name for a file', () => {
  it.each([
    ['../../etc/passwd', 'etc passwd'],
    ['..\\..\\a', 'a'],
    ['a:b*c?"<>|d', 'a b c d'],
    ['.hidden', 'hidden'],
    ['dots...', 'dots'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['com1', '_com1'],
    ['Console', 'Console'],
    ['a\u202egpj.exe', 'a gpj.exe'],
    ['\0\n\t', 'Export'],
    ['', 'Export'],
  ])('makes of %j %j', (text, stem) => expect(safeStem(text)).toBe(stem))

  it('is one that every system takes, whatever the text', () => {
    fc.assert(
      fc.property(awkwardText, (text) => {
        const stem = safeStem(text)
        expect(stem).not.toMatch(/[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}]|^[. ]|[. ]$/u)
        expect(stem).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
        expect(stem.length).toBeGreaterThan(0)
        expect(`${stem} (partial) (9999).xlsx`.length).toBeLessThanOrEqual(120)
        expect(Buffer.byteLength(`${stem} (partial) (9999).xlsx`)).toBeLessThanOrEqual(255)
      }),
      seeded(1000),
    )
  })

  it('says whose, what and of which days, however long the account is called', () => {
    const range = { start: day('2026-11-13'), end: day('2026-11-19') }
    expect(exportStem('Kestrel', 'Script by browser', range)).toBe(
      'Kestrel - Script by browser - 2026-11-13 to 2026-11-19',
    )
    expect(exportStem('Kestrel', 'Direct by device', { start: range.start, end: range.start })).toBe(
      'Kestrel - Direct by device - 2026-11-13',
    )
    expect(exportStem('中'.repeat(500), 'Script by operating system', range)).toContain(
      'Script by operating system - 2026-11-13 to 2026-11-19',
    )
  })
})
