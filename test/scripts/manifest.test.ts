import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manifestOf } from '../../scripts/setup/manifest.mjs'

let root = ''
const inputs = ['src', 'config.json']
const now = () => manifestOf(root, inputs)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'manifest-'))
  mkdirSync(join(root, 'src', 'deep'), { recursive: true })
  writeFileSync(join(root, 'src', 'deep', 'a.ts'), 'a')
  writeFileSync(join(root, 'config.json'), '{}')
  writeFileSync(join(root, 'elsewhere.txt'), '')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('manifestOf', () => {
  it('stays the same while nothing is touched', () => {
    expect(now()).toBe(now())
    expect(now().split('\n')).toHaveLength(3)
  })

  it.each([
    ['a file grows', () => writeFileSync(join(root, 'src', 'deep', 'a.ts'), 'aa')],
    ['a file is touched', () => utimesSync(join(root, 'src', 'deep', 'a.ts'), 1, 1)],
    ['a file is added', () => writeFileSync(join(root, 'src', 'b.ts'), '')],
    ['a file is removed', () => rmSync(join(root, 'src', 'deep', 'a.ts'))],
    ['a single input changes', () => writeFileSync(join(root, 'config.json'), '{ }')],
    ['a single input is removed', () => rmSync(join(root, 'config.json'))],
  ])('changes when %s', (_what, change) => {
    const before = now()
    change()
    expect(now()).not.toBe(before)
  })

  it('does not see what is no input', () => {
    const before = now()
    writeFileSync(join(root, 'elsewhere.txt'), 'more')
    expect(now()).toBe(before)
  })
})
