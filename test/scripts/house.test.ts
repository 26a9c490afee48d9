import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCode, sourceOf } from '../../scripts/house/code.ts'
import type { Code } from '../../scripts/house/code.ts'
import { filesEntered } from '../../scripts/house/entered.ts'
import { figuresOf, limitOf, worseFigures } from '../../scripts/house/figures.ts'

const root = resolve(import.meta.dirname, '../..')
const figures = figuresOf(root)

const countIn = (name: string, code: Code) => {
  const figure = figures.find((each) => each.name === name)
  if (!figure) throw new Error(`There is no figure ${name}.`)
  return figure.count(code)
}

const codeOf = (files: Readonly<Record<string, string>>): Code => ({
  sources: Object.entries(files).map(([path, text]) => sourceOf(path, text)),
  tests: [],
})

/** The places of a figure without what is said of them. */
const placesOf = (name: string, files: Readonly<Record<string, string>>): readonly string[] =>
  countIn(name, codeOf(files)).places.map((place) => place.replace(/ .*$/, ''))

const long = (lines: number) => Array.from({ length: lines }, () => '  work()').join('\n')

describe('the counters', () => {
  it('count files and their lines', () => {
    const code = codeOf({ 'src-main/a.ts': 'a()\n'.repeat(30), 'src-shared/b.ts': 'b()\n'.repeat(29) })
    expect(countIn('files', code).figure).toBe(2)
    expect(countIn('lines', code).figure).toBe(59)
  })

  it('count functions with many parameters, types that are picked, and exported names that stand twice', () => {
    const files = {
      'src-main/a.ts': `export class Store {
  constructor(a: A, b: B, c: C, d: D, e: E, f: F) {}
  read(a: A, b: B, c: C, d: D, e: E): Pick<A, 'b'> {}
}
type Entry = { readonly a: Pick<Store, 'read'> }`,
      'src-main/b.ts': 'export type Store = null\ntype Entry = null\nexport type Other = null',
      'src-shared/c.ts': "export const sum = (a, b, c, d, e, f) => 0\ntype Part = Pick<A, 'b'>",
    }
    expect(countIn('many parameters', codeOf(files)).places).toEqual([
      'src-main/a.ts:2 Store 6 parameters',
      'src-shared/c.ts:1 sum 6 parameters',
    ])
    expect(placesOf('picks', files)).toEqual(['src-main/a.ts:3', 'src-main/a.ts:5'])
    expect(placesOf('names twice', files)).toEqual(['src-main/a.ts:1', 'src-main/b.ts:1'])
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
      'src-main/a.ts': `export class RequestQueue {}
const queue = new RequestQueue()
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
      'src-main/g.ts': "import { connect } from 'node:tls'",
      'src-main/h.ts': "import net from 'node:net'\nnet.connect(1)",
      'src-main/i.ts': "import tls from 'node:tls'\ntls.createSecureContext()",
      'src-main/shell/desktop/bus.ts': "import { connect } from 'node:net'",
    }
    expect(placesOf('thread protocols', files)).toEqual(['src-main/lib/a.ts:2'])
    expect(placesOf('HTTP stacks', files)).toEqual([
      'src-main/lib/a.ts:1',
      'src-main/g.ts:1',
      'src-main/h.ts:1',
    ])
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

  it('count the files that a query enters, in all threads, each once', () => {
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
