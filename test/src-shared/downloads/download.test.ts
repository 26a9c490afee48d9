import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stemAfter } from '#shared/downloads/download.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import { day } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { awkwardText } from '#test/src-main/exports/awkward.ts'

const { fileNames } = usualRawSettings
const report = {
  name: 'Weekly bad traffic',
  start: day('2026-11-09'),
  end: day('2026-11-15'),
  type: 'Response',
  instance_name: 'Kestrel EU',
}
const named = (name: string) => stemAfter('{name}', 'Acme', { ...report, name })

describe('the name of a saved report', () => {
  it('is made after the pattern', () => {
    expect(stemAfter(fileNames, 'Acme', report)).toBe(
      'Acme Weekly bad traffic 2026-11-09 to 2026-11-15 Response',
    )
    expect(stemAfter('{instance}_{end}_{unknown}', 'Acme', report)).toBe('Kestrel EU_2026-11-15_{unknown}')
  })

  it('says days and type once where the service made its name of them', () => {
    const made = { ...report, name: 'Response 2026-11-09 to 2026-11-15' }
    expect(stemAfter(fileNames, 'Acme', made)).toBe('Acme 2026-11-09 to 2026-11-15 Response')
    expect(stemAfter('{name} of {account}', 'Acme', made)).toBe('Response 2026-11-09 to 2026-11-15 of Acme')
    const oneDay = { ...report, end: report.start }
    expect(stemAfter(fileNames, 'Acme', oneDay)).toBe('Acme Weekly bad traffic 2026-11-09 Response')
    const other = { ...report, name: 'Response 2026-11-01 to 2026-11-15' }
    expect(stemAfter(fileNames, 'Acme', other)).toBe(
      'Acme Response 2026-11-01 to 2026-11-15 2026-11-09 to 2026-11-15 Response',
    )
  })

  it.each([
    ['../../x', 'x'],
    ['..\\..\\x', 'x'],
    ['CON', '_CON'],
    ['aux.csv', '_aux.csv'],
    ['conout$', '_conout$'],
    ['LPT³', '_LPT³'],
    ['a\0b', 'a b'],
    ['invoice\u202excod.exe', 'invoice xcod.exe'],
    ['a\u200bb\u2066c', 'a b c'],
    ['.hidden', 'hidden'],
    ['ends with dots. . .', 'ends with dots'],
    ['C:\\Windows\\x', 'C Windows x'],
    ['COM1.txt', '_COM1.txt'],
    ['nul .csv', '_nul .csv'],
    ['report.csv:hidden', 'report.csv hidden'],
    ['report.csv::$DATA', 'report.csv $DATA'],
    ['~/.ssh/id', '~ .ssh id'],
    ['%2e%2e%2fx', '%2e%2e%2fx'],
    ['', 'Raw report'],
    [' . ', 'Raw report'],
    ['.', 'Raw report'],
    ['..', 'Raw report'],
    ['\0', 'Raw report'],
    ['\u202e\u200f', 'Raw report'],
    ['\ud83d', 'Raw report'],
  ])('makes of %j %j', (name, stem) => expect(named(name)).toBe(stem))

  it('keeps the days of a name of 4,000 characters', () => {
    const stem = stemAfter(fileNames, '中'.repeat(4000), { ...report, name: 'x'.repeat(4000) })
    expect(stem).toMatch(/ 2026-11-09 to 2026-11-15 Response$/)
    expect(Buffer.byteLength(`${stem} (9999).zip.part`)).toBeLessThan(200)
  })

  it.each(['👩🏽', '🇩🇪', 'e\u0323\u0302', 'กำ', '한'])('is cut between two %s, not within one', (character) => {
    for (let shift = 0; shift < 8; shift += 1) {
      const stem = named('x'.repeat(shift) + character.repeat(300))
      const whole = character.normalize('NFC')
      expect(stem.slice(shift)).toBe(whole.repeat((stem.length - shift) / whole.length))
      expect(Buffer.byteLength(`${stem} (9999).zip.part`)).toBeLessThan(255)
    }
  })

  it('is a plain one where there is one character without end', () => {
    expect(named(`a${'\u0301\u0323'.repeat(2000)}`)).toBe('Raw report')
  })

  it.each([
    '../../{name}',
    '/etc/{name}',
    'C:\\{name}',
    '{name}\0',
    '.{name}',
    '..',
    'CON',
    '{name}:x',
    '\u202e{name}',
  ])('is a name of the folder itself after the pattern %j', (pattern) => {
    const stem = stemAfter(pattern, '../../x', { ...report, name: '../../x', instance_name: 'CON' })
    expect(stem).toMatch(/^(x|etc x|C x|x x|_CON|Raw report)$/)
  })

  it('takes no orders from names: what stands in braces in one stays', () => {
    expect(named('{account}')).toBe('{account}')
  })

  it('is safe on every system, whatever the pattern and the texts', () => {
    checkProperty(
      'names of saved reports',
      fc.property(
        awkwardText,
        awkwardText,
        awkwardText,
        fc.constantFrom(fileNames, '{name}', '../{name}/{account}', '.{type}', ''),
        (account, name, other, pattern) => {
          const stem = stemAfter(pattern, account, { ...report, name, type: other, instance_name: other })
          expect(stem).not.toMatch(/[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}]|^[. ]|[. ]$/u)
          expect(stem).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
          expect(stem.length).toBeGreaterThan(0)
          expect(Buffer.byteLength(`${stem} (9999).zip.part`)).toBeLessThan(200)
        },
      ),
    )
  })
})
