import { describe, expect, it } from 'vitest'
import { columnGroups, columnWords } from '#shared/raw/columns.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'

describe('columns', () => {
  it.each(rawTypes)('of %s stand in one group each, all of them, and have words of their own', (type) => {
    const grouped = columnGroups(type).flatMap(({ columns }) => columns)
    expect(grouped.toSorted()).toEqual(rawStandardColumns[type].toSorted())
    expect(new Set(grouped.map(columnWords)).size).toBe(grouped.length)
    expect(columnGroups(type).every(({ columns }) => columns.length > 0)).toBe(true)
  })

  it.each([
    ['remote_address', 'Remote address'],
    ['exid', 'External ID'],
    ['3', 'Additional 3'],
    ['constructor', 'Constructor'],
    ['', ''],
  ])('%s reads “%s”', (column, words) => {
    expect(columnWords(column)).toBe(words)
  })
})
