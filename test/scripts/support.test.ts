import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { packedDescription } from '../../scripts/packaging/description.mjs'
import { makePackages } from '../../scripts/packaging/make.mjs'
import { packingFault, pinnedVersion, supportFault, supportedUntil } from '../../scripts/runtime/support.mjs'

const until = { '44': '2027-02-09', '45': '2027-04-06' }
const at = (day: string) => new Date(`${day}T12:00:00Z`)

describe('the pinned Electron', () => {
  it('is in support until the end of its last day', () => {
    expect(supportFault('45.4.1', at('2026-11-22'), until)).toBeUndefined()
    expect(supportFault('45.4.1', new Date('2027-04-06T23:59:59Z'), until)).toBeUndefined()
  })

  it.each([
    ['out of support', '45.4.1', '2027-04-07', /out of support since 2027-04-06/],
    ['a version that nobody knows the end of', '46.0.0', '2026-11-22', /how long Electron 46/],
    ['no single version', '^45.4.1', '2026-11-22', /does not pin one version/],
  ])('is refused: %s', (_why, version, day, words) => {
    expect(supportFault(version, at(day), until)).toMatch(words)
  })

  it('is judged by what people get, not by the fallback of closed networks', () => {
    const table = supportedUntil()
    expect(supportFault(pinnedVersion(), at('2026-11-22'), table)).toBeUndefined()
    expect(supportFault('33.2.1', at('2026-11-22'), table)).toMatch(/out of support since 2025-04-29/)
  })
})

describe('a package', () => {
  const today = at('2026-11-22')
  const fallback = { kind: 'fallback', version: '33.2.1' } as const
  const official = { kind: 'official', version: '45.4.1' } as const

  it('is made with an official Electron that is in support', () => {
    expect(packingFault(official, { fallbackForTests: false, today })).toBeUndefined()
    expect(packingFault(official, { fallbackForTests: false, today: at('2027-04-07') })).toMatch(
      /out of support/,
    )
    expect(packedDescription(official).version).toBe(packedDescription(fallback).version.split('-')[0])
  })

  it('is made with the fallback for tests alone, and says so in its version', () => {
    expect(packingFault(fallback, { fallbackForTests: false, today })).toMatch(
      /no package for people is made/,
    )
    expect(packingFault(fallback, { fallbackForTests: true, today })).toBeUndefined()
    expect(packedDescription(fallback).version).toMatch(/^\d+\.\d+\.\d+-not-for-people$/)
  })

  it.each([
    ['asked for plainly', {}, /no package for people is made/],
    ['asked for as a release', { release: true }, /no package for people is made/],
    [
      'asked for as a release for tests',
      { release: true, fallbackForTests: true },
      /official Electron alone/,
    ],
  ])(
    'is refused with the fallback before anything is made of it, where it is %s',
    async (_how, wish, words) => {
      const empty = mkdtempSync(join(tmpdir(), 'traffic-desk-runtime-'))
      onTestFinished(() => rmSync(empty, { recursive: true }))
      const parts = { executable: join(empty, 'electron'), remap: undefined, modules: undefined }
      const runtime = { ...fallback, dist: empty, ...parts }
      await expect(makePackages(wish, () => Promise.resolve(runtime))).rejects.toThrow(words)
    },
  )
})
