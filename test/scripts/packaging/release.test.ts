import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endOfProgram } from '../../../scripts/packaging/appimage-runtime.mjs'
import { appId } from '../../../scripts/packaging/description.mjs'
import { icnsOf, icoOf } from '../../../scripts/packaging/icon-files.mjs'
import { releaseFault, releaseInputs, signingOptions } from '../../../scripts/packaging/inputs.mjs'
import { msixManifest } from '../../../scripts/packaging/msix.mjs'

const all = (platform: keyof typeof releaseInputs) =>
  Object.fromEntries(releaseInputs[platform].map((name) => [name, `the ${name}`]))
const official = { kind: 'official', commit: 'c0ffee' } as const

describe('a release', () => {
  it.each(['linux', 'win32', 'darwin'] as const)('for %s wants each of its inputs', (platform) => {
    expect(releaseFault(platform, all(platform), official)).toBeUndefined()
    for (const name of releaseInputs[platform]) {
      expect(releaseFault(platform, { ...all(platform), [name]: '' }, official)).toBe(
        `A release needs these inputs: ${name}.`,
      )
      expect(signingOptions(platform, { ...all(platform), [name]: undefined })).toEqual({})
    }
  })

  it('is made of a commit and of what people get', () => {
    expect(releaseFault('linux', all('linux'), { kind: 'fallback', commit: 'c0ffee' })).toMatch(/official/)
    for (const commit of [null, 'c0ffee+'])
      expect(releaseFault('linux', all('linux'), { kind: 'official', commit })).toMatch(/of a commit/)
  })

  it('for macOS runs hardened, and ends where it cannot be signed', () => {
    const { osxSign, osxNotarize } = signingOptions('darwin', all('darwin'))
    expect(osxSign).toMatchObject({ identity: 'the MACOS_SIGNING_IDENTITY', continueOnError: false })
    expect(osxNotarize).toMatchObject({ appleApiKeyId: 'the APPLE_API_KEY_ID' })
    const options =
      typeof osxSign === 'object' ? osxSign.optionsForFile?.('any', { type: 'distribution' } as never) : null
    expect(options).toEqual({ hardenedRuntime: true, entitlements: ['com.apple.security.cs.allow-jit'] })
  })
})

it('takes every step that others wrote by its commit, in each workflow', () => {
  const folder = join(import.meta.dirname, '../../../.github/workflows')
  const workflows = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const uses = workflows.flatMap((text) => text.match(/uses: .*/g) ?? [])
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter((each) => !/^uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+$/.test(each))).toEqual([])
})

describe('what Windows is told', () => {
  const xml = msixManifest({
    ...{ version: '1.2.3', productName: 'Traffic Desk', description: 'Reports & more', author: 'Us' },
    ...{ publisher: 'CN="Us, Ltd."', arch: 'x64' },
  })

  it('stays XML, whatever the names hold', () => {
    expect(xml).toContain(`Name="${appId}" ProcessorArchitecture="x64" Version="1.2.3.0"`)
    expect(xml).toContain('Publisher="CN=&quot;Us, Ltd.&quot;"')
    expect(xml).toContain('Description="Reports &amp; more"')
    expect(xml).toContain('<uap:Protocol Name="traffic-desk" />')
  })
})

describe('the icons', () => {
  const folder = join(import.meta.dirname, '../../../resources/icons')

  it('of Windows and macOS are made of the pictures that lie beside them', () => {
    expect(readFileSync(join(folder, 'app.ico')).equals(icoOf(folder))).toBe(true)
    expect(readFileSync(join(folder, 'app.icns')).equals(icnsOf(folder))).toBe(true)
  })

  it('name where each picture lies', () => {
    const ico = icoOf(folder)
    const last = 6 + 16 * (ico.readUInt16LE(4) - 1)
    expect(ico.readUInt32LE(last + 12) + ico.readUInt32LE(last + 8)).toBe(ico.length)
    expect(ico.subarray(ico.readUInt32LE(last + 12)).equals(readFileSync(join(folder, '256.png')))).toBe(true)
    const icns = icnsOf(folder)
    expect(icns.readUInt32BE(4)).toBe(icns.length)
  })
})

describe('the head of an AppImage', () => {
  it('ends with the table of its sections', () => {
    const program = Buffer.alloc(0x1234 + 64 * 30)
    program.writeBigUInt64LE(0x1234n, 0x28)
    program.writeUInt16LE(64, 0x3a)
    program.writeUInt16LE(30, 0x3c)
    expect(endOfProgram(Buffer.concat([program, Buffer.from('hsqs, and the rest')]))).toBe(program.length)
  })
})
