import fc from 'fast-check'
import * as v from 'valibot'
import { expect, it, onTestFinished } from 'vitest'
import {
  openHandle,
  writerOver,
  flag,
  has,
  insert,
  put,
  remove,
  table,
  update,
} from '#main/database/sqlite/database.ts'
import { json } from '#shared/values/schemas.ts'

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

it('reads a join of tables, and what an expression makes of their columns', () => {
  const { handle, writer } = openThings()
  handle.exec('CREATE TABLE places (thing TEXT, room TEXT, id TEXT) STRICT')
  handle.exec(`INSERT INTO places VALUES ('a', 'hall', 'x'), ('b', 'hall', 'y'), ('b', NULL, 'z')`)
  for (const id of ['a', 'b']) insert(writer, 'things', { id, someCount: 2, isNew: true, parts: [1, 2] })
  const placed = table(
    'things JOIN places ON thing = things.id',
    v.object({ id: v.string(), someCount: v.number(), room: v.string(), length: v.number() }),
    { id: 'things.id', length: 'json_array_length(parts)' },
  )
  const all = ['a', 'b'].map((id) => ({ id, someCount: 2, room: 'hall', length: 2 }))
  expect(placed.list(writer, 'ORDER BY things.id')).toEqual(all)
  expect(placed.first(writer, 'WHERE things.id = ?', 'b')).toEqual(all[1])
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
