import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { partsOf } from '../../scripts/notices/third-party.mjs'

const root = join(import.meta.dirname, '../..')
const read = (...path: readonly string[]) => readFileSync(join(root, ...path), 'utf8')

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}
type Locked = { readonly integrity?: string; readonly link?: boolean }
type Typed = { readonly types?: string; readonly exports?: unknown }

const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Manifest
const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> }

/** Where a package is named: after `from`, or alone after `import`, `import(` and `require(`. */
const naming =
  /\b(?:import|export)\s+(type\s)?(?:[^'";()]*?\sfrom\s+)?'([^'.#][^']*)'|\b(?:import|require)\(\s*'([^'.#][^']*)'/g

/** The packages that sources name, but Node's own; of each, whether something besides types is taken from it. */
function packagesIn(sources: readonly string[]): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  for (const source of sources)
    for (const [, type, from, called] of source.matchAll(naming)) {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(from ?? called ?? '')?.[0] ?? ''
      if (!name.startsWith('node:')) found.set(name, found.get(name) === true || type === undefined)
    }
  return found
}

const sources = ['src-main', 'src-preload', 'src-renderer', 'src-shared'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|svelte)$/.test(path))
    .map((path) => read(folder, path)),
)
const imported = packagesIn(sources)
/** What is built into the app, Electron aside. */
const shipped = [...imported].filter(([name, used]) => used && name !== 'electron').map(([name]) => name)

/** Whether a package has types, of its own or from @types. */
function isTyped(name: string): boolean {
  const { types, exports } = JSON.parse(read('node_modules', name, 'package.json')) as Typed
  if (types !== undefined && existsSync(join(root, 'node_modules', name, types))) return true
  if (JSON.stringify(exports ?? null).includes('"types":')) return true
  const [entry] = /[^"]+(?=\.js")/.exec(JSON.stringify(exports ?? null).replace(/.*"import":/, '')) ?? []
  if (entry !== undefined && existsSync(join(root, 'node_modules', name, `${entry}.d.ts`))) return true
  return `@types/${name.replace(/^@(.*)\//, '$1__')}` in devDependencies
}

describe('packages that the sources name', () => {
  it('are found however they are named', () => {
    const found = packagesIn([
      "import a from 'a'\nimport {\n  b,\n} from 'b/inner.js'\nimport 'c'\nexport * from '@d/d/e'",
      "import type { F } from 'f'\nimport { g } from './g.ts'\nconst h = await import('h')\nrequire('i')",
      "import type { J } from 'j'\nimport { j } from 'j'\nimport { readFile } from 'node:fs'",
    ])
    expect([...found].filter(([, used]) => used).map(([name]) => name)).toEqual('a b c @d/d h i j'.split(' '))
    expect(found.get('f')).toBe(false)
    expect(shipped).toEqual(expect.arrayContaining(['svelte', 'keytar', 'yazl']))
  })

  it('are dependencies, not tools, where they are built in: what ships is told by that', () => {
    expect(shipped.filter((name) => !(name in dependencies))).toEqual([])
  })

  it('stand in the notices and in the list of parts, and so does Electron', () => {
    const notices = read('resources/third-party/notices.txt').split('\n')
    const bill = JSON.parse(read('resources/third-party/sbom.cdx.json')) as {
      readonly components: readonly { readonly purl: string }[]
    }
    const purls = bill.components.map(({ purl }) => purl)
    const parts = partsOf(root)
    for (const each of [...shipped, 'electron']) {
      const part = parts.find(({ path }) => path === `node_modules/${each}`)
      // One under another name is listed by its own.
      const name = part?.name ?? each
      const version = part?.version ?? ''
      expect(notices).toContain(`${name} ${version} (${part?.license ?? ''})`)
      expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`)
    }
  })

  it('have types', () => {
    expect([...imported.keys()].filter((name) => !isTyped(name))).toEqual([])
  })
})

describe('every package that is installed', () => {
  it('is pinned with a checksum, tools too', () => {
    const loose = Object.entries(lock.packages)
      .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
      .filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(loose.map(([path]) => path)).toEqual([])
    const versions = Object.entries({ ...dependencies, ...devDependencies })
    expect(versions.filter(([, version]) => /[\^~*><|]/.test(version))).toEqual([])
  })
})
