import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { appearanceOf, piecesOf, shownBy } from '../screenshots/appearance.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'screenshots')
const taken: unknown = JSON.parse(readFileSync(join(folder, 'taken.json'), 'utf8'))
const pictures = readdirSync(folder).filter((file) => file.endsWith('.png'))

it('every picture of the documents shows the window as it is; else take them anew: npm run screenshots -- --docs', () => {
  expect(taken).toEqual(Object.fromEntries(Object.keys(shownBy).map((scene) => [scene, appearanceOf(scene)])))
})

it('every picture is of a scene whose appearance is known', () => {
  const scenes = pictures.map((file) => file.replace(/-(?:light|dark)-\d+\.png$/, ''))
  expect(scenes.sort()).toEqual(Object.keys(shownBy).sort())
})

it.each([
  ['a text', '<p>Saved</p>', '<p>Kept</p>', true],
  ['a text in an expression', "<p>{ok ? 'Saved it' : ''}</p>", "<p>{ok ? 'Kept it' : ''}</p>", true],
  ['an element', '<p>Saved</p>', '<em>Saved</em>', true],
  ['a style', '<p>x</p><style>p { color: red }</style>', '<p>x</p><style>p { color: blue }</style>', true],
  ['a name', '<p>{kept}</p>', '<p>{stored}</p>', false],
  ['a comment', '<p>Saved</p>', '<!-- Why --><p>Saved</p>', false],
  ['a line of logic', '<script>const a = 1</script>', '<script>const b = two(3)</script>', false],
])('a change of %s is seen or not', (_, before, after, isSeen) => {
  const pieces = [before, after].map((text) => new Set(piecesOf('A.svelte', text)))
  if (isSeen) expect(pieces[0]).not.toEqual(pieces[1])
  else expect(pieces[0]).toEqual(pieces[1])
})
