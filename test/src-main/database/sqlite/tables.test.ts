import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import * as v from 'valibot'
import { openHandle, writerOver } from '#main/database/sqlite/database.ts'
import { flag, has, insert, json, put, remove, table, update } from '#main/database/sqlite/tables.ts'

const rowSchema = v.object({
  id: v.string(),
  someCount: v.number(),
  isNew: flag,
  parts: json(v.array(v.number())),
})
const things = table('things', rowSchema)

function openThings() {
  const handle = openHandle(':memory:')
  onTestFinished(() => void handle.close())
  handle.exec(
    'CREATE TABLE things (id TEXT PRIMARY KEY, some_count INTEGER, is_new INTEGER, parts TEXT) STRICT',
  )
  return { handle, writer: writerOver(handle) }
}

const rows = fc.record({
  id: fc.string(),
  someCount: fc.integer(),
  isNew: fc.boolean(),
  parts: fc.array(fc.integer()),
})

it('gives back every row as it was inserted, once', () => {
  const { writer } = openThings()
  fc.assert(
    fc.property(rows, (row) => {
      remove(writer, 'things', { id: row.id })
      expect(insert(writer, 'things', row)).toBe(true)
      expect(insert(writer, 'things', { ...row, someCount: 0 })).toBe(false)
      expect(things.first(writer, 'WHERE id = ?', row.id)).toEqual(row)
    }),
    { seed: 7 },
  )
})

it('changes a row with the same key, but for the columns that are fixed', () => {
  const { writer } = openThings()
  const row = { id: 'a', someCount: 1, isNew: true, parts: [1] }
  put(writer, 'things', ['id'], row)
  put(writer, 'things', ['id'], { id: 'a', someCount: 2, isNew: false, parts: [] }, ['isNew'])
  expect(things.list(writer, '')).toEqual([{ id: 'a', someCount: 2, isNew: true, parts: [] }])
})

it('changes, finds and deletes the rows that have all the values, and says how many', () => {
  const { writer } = openThings()
  for (const [id, someCount] of [
    ['a', 1],
    ['b', 1],
    ['c', 2],
  ] as const)
    insert(writer, 'things', { id, someCount, isNew: false, parts: [] })
  expect(update(writer, 'things', { someCount: 1, isNew: false }, { isNew: true })).toBe(2)
  expect(has(writer, 'things', { id: 'c', isNew: true })).toBe(false)
  expect(remove(writer, 'things', { isNew: true })).toBe(2)
  expect(things.list(writer, '').map(({ id }) => id)).toEqual(['c'])
})

it('passes over a row that is not of its schema', () => {
  const { handle, writer } = openThings()
  handle.exec(
    `INSERT INTO things VALUES ('a', 1, 2, '[]'), ('b', 1, 1, '{'), ('c', NULL, 1, '[]'), ('d', 1, 1, '[1]')`,
  )
  expect(things.list(writer, '').map(({ id }) => id)).toEqual(['d'])
  expect(things.first(writer, 'WHERE id = ?', 'b')).toBeUndefined()
})

it.each(['id) --', 'id, is_new', 'id"', ''])('refuses %j as the name of a column', (name) => {
  const { writer } = openThings()
  expect(() => insert(writer, 'things', { [name]: 'a' })).toThrow(TypeError)
  expect(() => update(writer, 'things', { id: 'a' }, { [name]: 'a' })).toThrow(TypeError)
  expect(() => remove(writer, 'things', { [name]: 'a' })).toThrow(TypeError)
  expect(() => has(writer, 'things', { [name]: 'a' })).toThrow(TypeError)
})
