import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCode, sourceOf } from '../../scripts/house/code.ts'
import type { Code } from '../../scripts/house/code.ts'
import { filesEntered } from '../../scripts/house/entered.ts'
import { figuresOf, limitOf, worseFigures } from '../../scripts/house/figures.ts'
import { split } from '../../scripts/house/words.ts'

const root = resolve(import.meta.dirname, '../..')
const figures = figuresOf(root)

const countIn = (name: string, code: Code) => {
  const figure = figures.find((each) => each.name === name)
  if (!figure) throw new Error(`There is no figure ${name}.`)
  return figure.count(code)
}

const codeOf = (files: Readonly<Record<string, string>>): Code => ({
  sources: Object.entries(files).flatMap(([path, text]) =>
    /\.md$/.test(path) ? [] : [sourceOf(path, text)],
  ),
  tests: [],
  documents: Object.entries(files).flatMap(([path, text]) => (/\.md$/.test(path) ? [{ path, text }] : [])),
})

/** The places of a figure without what is said of them. */
const placesOf = (name: string, files: Readonly<Record<string, string>>): readonly string[] =>
  countIn(name, codeOf(files)).places.map((place) => place.replace(/ .*$/, ''))

const long = (lines: number) => Array.from({ length: lines }, () => '  work()').join('\n')

describe('the counters', () => {
  it('count files, their lines, and those that are short', () => {
    const code = codeOf({ 'src-main/a.ts': 'a()\n'.repeat(30), 'src-shared/b.ts': 'b()\n'.repeat(29) })
    expect(countIn('files', code).figure).toBe(2)
    expect(countIn('lines', code).figure).toBe(59)
    expect(countIn('short files', code).places).toEqual(['src-shared/b.ts:1 29 lines'])
  })

  it('count types of parts, and the functions among their members but not the arguments of those', () => {
    const files = {
      'src-main/a.ts': `export type DeskParts = {
        readonly store: Store
        readonly emit: (told: { readonly again: () => void }) => void
        readonly ask: (() => number) | null
        close(): void
      }
      interface PoolDeps { readonly size: number }
      type Particles = { readonly run: () => void }`,
    }
    expect(placesOf('types of parts', files)).toEqual(['src-main/a.ts:1', 'src-main/a.ts:7'])
    expect(placesOf('functions in parts', files)).toEqual([
      'src-main/a.ts:3',
      'src-main/a.ts:4',
      'src-main/a.ts:5',
    ])
  })

  it('count functions over 80 lines, in components too', () => {
    const files = {
      'src-main/a.ts': `export function short() {\n${long(78)}\n}\nconst tall = () => {\n${long(79)}\n}`,
      'src-renderer/B.svelte': `<p>{name}</p>\n<script lang="ts">\n  function tall() {\n${long(79)}\n  }\n</script>`,
    }
    expect(countIn('long functions', codeOf(files)).places).toEqual([
      'src-main/a.ts:81 tall 81 lines',
      'src-renderer/B.svelte:3 tall 81 lines',
    ])
  })

  it('count events told apart by what they have, and no other use of `in`', () => {
    const files = {
      'src-main/a.ts': "if ('got' in event) a()\nif ('code' in error) b()\nif (name in event) c()",
    }
    expect(placesOf('events by property', files)).toEqual(['src-main/a.ts:1'])
  })

  it('count ways to notify by their names, and lists of listeners', () => {
    const files = {
      'src-main/a.ts': 'type A = { readonly emit: (now: number) => void; readonly isEnded: () => boolean }',
      'src-main/b.ts':
        'type B = { readonly emit: (now: string) => void }\nclass C { readonly #listeners = new Set() }',
      'src-main/lib/c.ts': 'type D = { readonly onEnd: () => void }',
    }
    expect(placesOf('ways to notify', files)).toEqual(['src-main/a.ts:1', 'src-main/b.ts:2'])
  })

  it('count functions that double a pause or spread it, each once', () => {
    const files = {
      'src-main/a.ts': `const wait = (tries: number) => first * 2 ** tries * (0.5 + random() / 2)
const size = () => 2 ** 16
class B {
  next() { return Math.min(this.#pause * 2, longest) }
}`,
    }
    expect(placesOf('back-offs', files)).toEqual(['src-main/a.ts:1', 'src-main/a.ts:4'])
  })

  it('count queues and limiters where they are made, not where they are used', () => {
    const files = {
      'src-main/a.ts': `export class StoredRequests {}
const queue = new StoredRequests()
let last: Promise<void> = Promise.resolve()
const inTurn = () => last
const queueFor = () => queue`,
    }
    expect(placesOf('queues and limiters', files)).toEqual([1, 3, 4].map((line) => `src-main/a.ts:${line}`))
  })

  it('count kinds of jobs by the types of their progress', () => {
    const files = {
      'src-shared/a.ts': `type A = { readonly done: number; readonly of: number }
type B = { readonly as: 'running'; readonly got: number }
type C = { readonly done: boolean }`,
    }
    expect(placesOf('job kinds', files)).toEqual(['src-shared/a.ts:1', 'src-shared/a.ts:2'])
  })

  it('count threads, clients of HTTP and folders over the engine', () => {
    const files = {
      'src-main/lib/a.ts': "import http from 'node:http'\nconst thread = new Worker(file)",
      'src-main/lib/b.ts': "import { request } from 'node:http'\nimport type { Agent } from 'undici'",
      'src-main/c/d.ts': "import type { A } from '@duckdb/node-api'",
      'src-main/c/e.ts': "import { B } from '@duckdb/node-api'",
      'src-main/sandbox/f.ts': "import { createServer } from 'node:https'",
    }
    expect(placesOf('thread protocols', files)).toEqual(['src-main/lib/a.ts:2'])
    expect(placesOf('HTTP stacks', files)).toEqual(['src-main/lib/a.ts:1'])
    expect(placesOf('SQL layers', files)).toEqual(['src-main/c'])
  })

  it('count unions told apart by another property than `kind`', () => {
    const files = {
      'src-shared/a.ts': `import * as v from 'valibot'
export type Found = { readonly as: 'one'; readonly id: number } | { readonly as: 'none' }
export type Step = { readonly kind: 'a'; readonly ok: true } | { readonly kind: 'b'; readonly ok: false }
export type Outcome = Found | null
type Id = (string & { readonly brand: 'a' }) | (string & { readonly brand: 'b' })
type Same = { readonly as: 'x'; readonly a: 1 } | { readonly as: 'x'; readonly b?: 1 }
const schema = v.variant('what', [])
const good = v.variant('kind', [])
function read(): { readonly ok: true } | { readonly ok: false; readonly why: string } {}`,
      'src-shared/b.ts': `import type { Found } from './a.ts'
type Later = Found | { readonly as: 'later' }`,
      'src-renderer/C.svelte': `<script lang="ts">
  import type { Found } from '#shared/a.ts'
  const at: Found | { readonly as: 'here' } = $props()
</script>
{#if at}<p>{at}</p>{/if}`,
      'src-shared/api/failure.ts': `export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: string }
type Settled = { readonly state: 'on' } | { readonly state: 'off' }`,
      'src-renderer/d.ts': `import type { Outcome } from '#shared/api/failure.ts'
let last: Outcome<number> | null = null`,
    }
    expect(placesOf('discriminants', files)).toEqual([
      ...['src-shared/a.ts:2', 'src-shared/a.ts:4', 'src-shared/a.ts:7', 'src-shared/a.ts:9'],
      ...['src-shared/b.ts:2', 'src-renderer/C.svelte:3', 'src-shared/api/failure.ts:3'],
    ])
  })

  it('count private words where names are declared, in files, in folders and in documents', () => {
    const files = {
      'src-main/raw/asking/a.ts':
        'export const keptTables = [1]\nuse(keptTables)\nconst most = 3\nconst almost = 4',
      'src-main/sync-words.ts': 'export const { kept } = others\nclass Places {}\nconst places = 1',
      'src-renderer/a.ts': 'class Question {}',
      'src-shared/a.ts': 'class Question {}',
      'docs/b.md': 'A table is kept.\nIt is stored.',
    }
    expect(countIn('private words', codeOf(files)).places).toEqual([
      'src-main/raw/asking/ → requests/, polling/',
      'src-main/sync-words.ts:1 sync-words → a catalogue of texts',
      'src-main/raw/asking/a.ts:1 keptTables → save, store, cache',
      'src-main/raw/asking/a.ts:3 most → max…, min…',
      'src-main/sync-words.ts:2 Places → Semaphore',
      'src-renderer/a.ts:1 Question → Query',
      'docs/b.md:1 kept',
    ])
    expect(split('readHTTPBody_of-RAW2Rows')).toEqual(['read', 'http', 'body', 'of', 'raw2', 'rows'])
  })

  it('count what the window asks and follows, in templates too', () => {
    const files = {
      'src-renderer/A.svelte': `<script lang="ts">
  const asked = untrack(() => bridge.call('a'))
</script>
<button style={{ a: 1 }} onclick={() => void app.bridge.call('b')}>Go</button>`,
      'src-renderer/b.svelte.ts': `class Follows {
  constructor() { this.#bridge.on('c', () => this.#bridge.call('d')) }
}
class Asks { ask() { return this.#bridge.call('e') } }`,
    }
    expect(placesOf('untrack', files)).toEqual(['src-renderer/A.svelte:2'])
    expect(placesOf('bridge.on', files)).toEqual(['src-renderer/b.svelte.ts:2'])
    expect(placesOf('calls in components', files)).toEqual([
      'src-renderer/A.svelte:2',
      'src-renderer/A.svelte:4',
    ])
    expect(placesOf('asking classes', files)).toEqual(['src-renderer/b.svelte.ts:1'])
  })

  it('count circles of imports, of types and inside templates too', () => {
    const files = {
      'src-renderer/A.svelte': "{#await import('./b.ts') then { default: B }}<B />{/await}",
      'src-renderer/b.ts': "import type { C } from './c.ts'",
      'src-renderer/c.ts': "export { default as A } from './A.svelte'",
      'src-renderer/d.ts': "import './A.svelte'",
    }
    expect(countIn('import circles', codeOf(files)).places).toEqual([
      'src-renderer/A.svelte ↔ src-renderer/b.ts ↔ src-renderer/c.ts',
    ])
  })

  it('count tests with the name and the path of their source', () => {
    const code = {
      ...codeOf({ 'src-main/a/b.ts': '', 'src-renderer/C.svelte': '', 'src-renderer/d.svelte.ts': '' }),
      tests: ['src-main/a/b', 'src-main/b', 'src-renderer/C.kills', 'src-renderer/d'].map(
        (path) => `test/${path}.test.ts`,
      ),
    }
    expect(countIn('tests named', code).figure).toBe(75)
    expect(countIn('tests named', code).places).toEqual(['test/src-main/b.test.ts:1 no source of its name'])
  })

  it('count the words of documents for engineers', () => {
    const code = codeOf({
      'README.md': 'Two words',
      'src-main/README.md': 'Three more words',
      'test/README.md': 'none',
    })
    expect(countIn('words for engineers', code).figure).toBe(5)
  })

  it('count the files that a question enters, in all threads, each once', () => {
    const printed = `Cold (from: service)\n  main process: 2\n    src-main/a.ts\n    src-main/b.ts\n  store thread: 1\n    src-main/b.ts\n
Warm (from: table)\n  main process: 1\n    src-main/a.ts\n`
    const found = filesEntered(printed).map(({ name, count }) => [name, count(codeOf({})).figure])
    expect(found).toEqual([
      ['files entered, cold', 2],
      ['files entered, warm', 1],
    ])
  })
})

describe('what is recorded', () => {
  const [shape, size] = ['shape', 'size'].map((of) =>
    figures.find((figure) => figure.of === of && figure.better === 'less'),
  )

  it('is the limit of shape until what is to be reached is', () => {
    if (!shape || !size) throw new Error('There are figures of both.')
    expect(limitOf(shape, shape.reach + 5)).toBe(shape.reach + 5)
    expect(limitOf(shape, shape.reach - 1)).toBe(shape.reach)
    const counts = new Map([shape, size].map(({ name, reach }) => [name, { figure: reach + 6, places: [] }]))
    const recorded = { [shape.name]: shape.reach + 5, [size.name]: size.reach + 5 }
    expect(worseFigures([shape, size], counts, recorded)).toHaveLength(1)
  })

  it('is not worse in this code', () => {
    const recorded: Readonly<Record<string, number>> = JSON.parse(
      readFileSync(resolve(root, 'scripts/house/recorded.json'), 'utf8'),
    )
    const code = readCode(root)
    const shapes = figures.filter(({ of }) => of === 'shape')
    expect(shapes.filter(({ name }) => recorded[name] === undefined)).toEqual([])
    const counts = new Map(shapes.map((figure) => [figure.name, figure.count(code)]))
    expect(worseFigures(shapes, counts, recorded)).toEqual([])
    // All of the code is read and counted: that takes what it takes.
  }, 300_000)
})
