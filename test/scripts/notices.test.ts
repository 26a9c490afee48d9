import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  billOf,
  duckdbParts,
  foreignLicences,
  noticesOf,
  partsOf,
} from '../../scripts/notices/third-party.mjs'

const root = join(import.meta.dirname, '../..')
const shipped = (name: string) => readFileSync(join(root, 'resources/third-party', name), 'utf8')
const parts = partsOf(root)

type Bom = {
  readonly bomFormat: string
  readonly components: readonly {
    readonly name: string
    readonly hashes: readonly { content: string }[]
    readonly components?: readonly { readonly name: string }[]
  }[]
}

describe('what the app is made of', () => {
  it('has licences that are on the list', () => {
    expect(foreignLicences(parts)).toEqual([])
    expect(foreignLicences([{ name: 'x', license: 'GPL-3.0' }])).toEqual(['x (GPL-3.0)'])
    expect(() => noticesOf(parts.map((part) => ({ ...part, license: 'none' })))).toThrow('not on the list')
    const inner = { name: 'y', license: 'GPL-3.0', copyright: [], text: '' }
    expect(foreignLicences([{ name: 'x', license: 'MIT', holds: [inner] }])).toEqual(['y (GPL-3.0)'])
  })

  it('has the same notices on every system: packages for one have the text of what they belong to', () => {
    const bindings = parts.filter(({ name }) => name.startsWith('@duckdb/node-bindings'))
    expect(bindings).toHaveLength(9)
    expect(bindings.filter(({ texts }) => !texts[0]?.includes('Stichting DuckDB Foundation'))).toEqual([])
  })

  it('holds with DuckDB what that was built with, each with its copyright and licence', () => {
    const notices = shipped('notices.txt')
    expect(notices).toContain('In DuckDB: RE2 (BSD-3-Clause)\n  Copyright (c) 2009 The RE2 Authors.')
    for (const { copyright, text } of duckdbParts()) {
      expect(notices).toContain(text)
      for (const line of copyright) expect(notices).toContain(line)
    }
    expect(notices).not.toContain('{holder}')
    const { components } = JSON.parse(shipped('sbom.cdx.json')) as Bom
    const engine = components.find(({ name }) => name === '@duckdb/node-bindings')
    expect(engine?.components?.map(({ name }) => name)).toEqual(duckdbParts().map(({ name }) => name))
  })

  const library = join(root, 'node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so')
  it.skipIf(!existsSync(library))('lists all that is found in DuckDB’s library, and nothing else', () => {
    const held = readFileSync(library, 'latin1')
    const seen = duckdbParts().map((part) => part.seen)
    expect(seen.filter((each) => !held.includes(each))).toEqual([])
    // What DuckDB takes in gets a namespace of its own, whose name stands behind its length.
    const namespaces = [...held.matchAll(/N(\d+)(duckdb_[a-z0-9_]+)/g)].map(([, length, name = '']) =>
      name.slice(0, Number(length)),
    )
    expect([...new Set(namespaces)].filter((name) => !seen.some((each) => name.startsWith(each)))).toEqual([])
  })

  it('comes with its notices: `npm run notices` writes them anew', () => {
    expect(shipped('notices.txt')).toBe(noticesOf(parts))
    // Whom the writer of workbooks descends from stands in a file of its own.
    expect(shipped('notices.txt')).toContain('Guyon Roche')
  })

  it('is listed for programs, each part with its checksum: `npm run notices` writes it anew', () => {
    const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly version: string
      readonly dependencies: object
    }
    expect(shipped('sbom.cdx.json')).toBe(billOf(parts, version))
    const bom = JSON.parse(shipped('sbom.cdx.json')) as Bom
    expect(bom.bomFormat).toBe('CycloneDX')
    // Those under another name are listed by their own.
    const names = bom.components.map(({ name }) => name)
    expect(Object.keys(dependencies).filter((name) => !names.includes(name))).toEqual(['keytar'])
    expect(names).toContain('@github/keytar')
    expect(bom.components.filter(({ hashes }) => !/^[0-9a-f]{128}$/.test(hashes[0]?.content ?? ''))).toEqual(
      [],
    )
  })
})
