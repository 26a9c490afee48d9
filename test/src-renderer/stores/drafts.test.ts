// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { Drafts } from '#renderer/stores/drafts.ts'

function storage(begin: string | null = null) {
  const state = { text: begin, refuses: false }
  return {
    state,
    getItem: () => state.text,
    setItem: (_: string, text: string) => {
      if (state.refuses) throw new Error('Quota')
      state.text = text
    },
  }
}

/** A window over a storage, at a place. */
const windowOver = (own: ReturnType<typeof storage>, account = 'a', address = '#/raw') =>
  new Drafts(
    () => own,
    () => [account, address],
  )

function shown(drafts: Drafts, ...names: string[]) {
  const field = document.createElement('textarea')
  const heard: string[] = []
  for (const kind of ['input', 'change']) field.addEventListener(kind, () => heard.push(kind))
  const leave = drafts.field(...names)(field)
  const type = (text: string) => {
    field.value = text
    field.dispatchEvent(new Event('input'))
  }
  return { field, heard, type, leave: () => leave?.() }
}

it('gives a field of the next window what was typed there, which counts as typed', () => {
  const own = storage()
  shown(windowOver(own), 'notes').type('half a note')
  const { field, heard } = shown(windowOver(own), 'notes')
  expect(field.value).toBe('half a note')
  expect(heard).toEqual(['input', 'change'])
})

it('gives it to no other field, account or address', () => {
  const own = storage()
  shown(windowOver(own), 'notes').type('half a note')
  for (const [account, address, name] of [
    ['a', '#/raw', 'name'],
    ['b', '#/raw', 'notes'],
    ['a', '#/overview', 'notes'],
  ] as const)
    expect(shown(windowOver(own, account, address), name).field.value).toBe('')
})

it('is done with what a person leaves behind: saved, or thought better of', () => {
  const own = storage()
  const { type, leave } = shown(windowOver(own), 'notes')
  type('half a note')
  leave()
  expect(shown(windowOver(own), 'notes').field.value).toBe('')
})

it('stores what is no text until it is dropped, or its account is gone', () => {
  const own = storage()
  const drafts = windowOver(own)
  drafts.save({ name: 'n' }, 'a', 'raw')
  drafts.save({ name: 'm' }, 'b', 'raw')
  drafts.save({ name: 'o' }, 'b', 'other')
  drafts.drop('b', 'other')
  expect(windowOver(own).get('b', 'other')).toBeUndefined()
  drafts.removeOthers(['a'])
  expect(windowOver(own).get('a', 'raw')).toEqual({ name: 'n' })
  expect(windowOver(own).get('b', 'raw')).toBeUndefined()
})

it('stores the newest, and nothing that is too long', () => {
  const drafts = windowOver(storage())
  for (let place = 0; place < 60; place += 1) drafts.save(place, 'a', place)
  expect(drafts.get('a', 9)).toBeUndefined()
  expect(drafts.get('a', 10)).toBe(10)
  drafts.save('x'.repeat(50_000), 'a', 59)
  expect(drafts.get('a', 59)).toBeUndefined()
})

it.each(['', 'null', '[]', '7', '{"["a","#/raw","notes"]":1}', '{"[\\"a\\",\\"#/raw\\",\\"notes\\"]":{}}'])(
  'takes nothing from storage that holds %s',
  (text) => {
    expect(shown(windowOver(storage(text)), 'notes').field.value).toBe('')
  },
)

it('goes on where the storage refuses', () => {
  const own = storage()
  own.state.refuses = true
  const { field, type } = shown(windowOver(own), 'notes')
  type('a note')
  expect(field.value).toBe('a note')
})
