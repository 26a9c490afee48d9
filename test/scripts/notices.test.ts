import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { billOf, foreignLicences, noticesOf, partsOf } from '../../scripts/notices/third-party.mjs'

const root = join(import.meta.dirname, '../..')
const shipped = (name: string) => readFileSync(join(root, 'resources/third-party', name), 'utf8')
const parts = partsOf(root)

type Bom = {
  readonly bomFormat: string
  readonly components: readonly { readonly name: string; readonly hashes: readonly { content: string }[] }[]
}

describe('what the app is made of', () => {
  it('has licences that are on the list', () => {
    expect(foreignLicences(parts)).toEqual([])
    expect(foreignLicences([{ name: 'x', license: 'GPL-3.0' }])).toEqual(['x (GPL-3.0)'])
    expect(() => noticesOf(parts.map((part) => ({ ...part, license: 'none' })))).toThrow('not on the list')
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
