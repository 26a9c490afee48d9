import { createPackageWithOptions, getRawHeader, uncache } from '@electron/asar'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemOf } from '../../../scripts/packaging/artefact/binaries.mjs'
import { examine } from '../../../scripts/packaging/artefact/examine.mjs'
import { openArtefact } from '../../../scripts/packaging/artefact/open.mjs'
import { packedDescription } from '../../../scripts/packaging/description.mjs'
import { isPacked } from '../../../scripts/packaging/forge-config.mjs'
import { setFuses } from '../../../scripts/packaging/fuses.mjs'
import {
  copyNativeModules,
  nativeModules,
  unpackedFiles,
} from '../../../scripts/packaging/native-modules.mjs'

const targets = (['linux', 'win32', 'darwin'] as const).flatMap((platform) =>
  (['x64', 'arm64'] as const).map((arch) => ({ platform, arch })),
)
type Target = (typeof targets)[number]
const nameOf = ({ platform, arch }: Target) => `${platform}-${arch}`

/** The head of a program for a system, as its format's specification has it, with fuses that nobody has set. */
function programFor({ platform, arch }: Target): Buffer {
  const head = Buffer.alloc(4096)
  if (platform === 'linux') {
    head.write('\x7fELF\x02\x01', 'latin1')
    head.writeUInt16LE(arch === 'x64' ? 62 : 183, 18)
  } else if (platform === 'darwin') {
    head.writeUInt32LE(0xfeedfacf)
    head.writeUInt32LE(arch === 'x64' ? 0x0100_0007 : 0x0100_000c, 4)
  } else {
    head.write('MZ', 'latin1')
    head.writeUInt32LE(128, 60)
    head.write('PE\0\0', 128, 'latin1')
    head.writeUInt16LE(arch === 'x64' ? 0x8664 : 0xaa64, 132)
  }
  // Version 1 with eight of them, each off.
  const fuses = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\x01\x0800000000', 'latin1')
  return Buffer.concat([head, fuses, Buffer.alloc(64)])
}

describe('the native parts of a package', () => {
  it.each(targets)('are those of $platform-$arch', (target) => {
    for (const { name, from, parts } of nativeModules(target, undefined))
      for (const part of parts.filter((each) => each.endsWith('.node')))
        expect(systemOf(readFileSync(join(from, name, part))), `${name}/${part}`).toEqual(target)
    expect(nativeModules(target, undefined).map(({ name }) => name)).toContain(
      `@duckdb/node-bindings-${nameOf(target)}`,
    )
  })

  it('are never left out where npm did not install them', async () => {
    const other = { name: '@duckdb/node-bindings-amiga-m68k', from: '/nowhere', parts: ['.'] }
    await expect(copyNativeModules([other], '/nowhere')).rejects.toThrow(/amiga-m68k.* is not installed/)
  })

  it('are recognised by what a file begins with, not by its name', () => {
    for (const target of targets) expect(systemOf(programFor(target))).toEqual(target)
    expect(systemOf(Buffer.alloc(4096))).toBeUndefined()
    expect(systemOf(Buffer.from('\x7fELF'))).toBeUndefined()
  })
})

describe('what is packed', () => {
  it('is what the app reads, and no more', () => {
    const said = (path: string) => [path, isPacked(path, '45.4.1-linux-x64')]
    for (const path of [
      '',
      '/package.json',
      '/out',
      '/out/main/start.cjs',
      '/out/main/code-cache/45.4.1-linux-x64/index.cjs',
      '/resources',
      '/resources/third-party/notices.txt',
    ])
      expect(said(path)).toEqual([path, true])
    for (const path of [
      '/out/.inputs',
      '/out/main/code-cache/45.4.1-linux-arm64',
      '/out/main/code-cache/part-a1b2c3/index.cjs',
      '/outer',
      '/node_modules',
      '/src-main',
      '/resources/icons/16.png',
      '/package-lock.json',
    ])
      expect(said(path)).toEqual([path, false])
  })
})

describe('an artefact', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'artefact-test-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  /** An unpacked app for a system, whose native parts are taken from elsewhere. */
  async function appFor(target: Target, native: Target = target, commit: string | null = 'c0ffee') {
    const { platform } = target
    const description = { ...packedDescription({ kind: 'official' }), commit }
    const app = join(folder, platform === 'darwin' ? 'Traffic Desk.app/Contents' : 'app')
    const resources = join(app, platform === 'darwin' ? 'Resources' : 'resources')
    const sources = join(folder, 'sources')
    mkdirSync(resources, { recursive: true })
    const modules = nativeModules(native, undefined).filter(({ name }) => !name.startsWith('@duckdb'))
    await copyNativeModules(modules, sources)
    const engine = join(sources, 'node_modules', '@duckdb', `node-bindings-${nameOf(native)}`)
    mkdirSync(engine, { recursive: true })
    writeFileSync(join(engine, 'duckdb.node'), programFor(native))
    // As its package has it: one file for both processors.
    const universal = Buffer.concat([Buffer.from('cafebabe00000002', 'hex'), Buffer.alloc(4096)])
    writeFileSync(join(engine, 'libduckdb.so'), native.platform === 'darwin' ? universal : programFor(native))
    writeFileSync(join(sources, 'package.json'), JSON.stringify(description))
    const archive = join(resources, 'app.asar')
    await createPackageWithOptions(sources, archive, { unpack: unpackedFiles })
    const program = {
      linux: join(app, 'traffic-desk'),
      win32: join(app, 'Traffic Desk.exe'),
      darwin: join(app, 'MacOS', 'Traffic Desk'),
    }[platform]
    mkdirSync(join(program, '..'), { recursive: true })
    const known = createHash('sha256').update(getRawHeader(archive).headerString).digest('hex')
    writeFileSync(program, Buffer.concat([programFor(target), Buffer.from(known)]))
    if (platform === 'darwin') {
      writeFileSync(join(app, 'Info.plist'), `<string>${known}</string>`)
      const framework = join(app, 'Frameworks', 'Electron Framework.framework')
      mkdirSync(framework, { recursive: true })
      cpSync(program, join(framework, 'Electron Framework'))
    }
    return { program, archive }
  }

  it.each(targets)('for $platform-$arch is examined on any system', async (target) => {
    const { program } = await appFor(target)
    await setFuses(program, target.platform)
    const facts = await examine(await openArtefact(folder, folder))
    expect(facts.faults).toEqual([])
    expect(facts).toMatchObject({ system: nameOf(target), commit: 'c0ffee', version: '0.3.0' })
    expect(facts.native).toHaveLength(4)
    expect(facts.integrity).toBe(
      target.platform === 'linux' ? 'Electron does not check it on Linux' : 'agrees',
    )
    expect(facts.bytes['keytar']).toBeGreaterThan(10_000)
  })

  it('is refused with native parts of another system', async () => {
    const { program } = await appFor(
      { platform: 'win32', arch: 'x64' },
      { platform: 'darwin', arch: 'arm64' },
    )
    await setFuses(program, 'win32')
    const { faults } = await examine(folder)
    expect(
      faults.filter((fault) => /is for darwin-(?:arm64|universal), the program for win32-x64$/.test(fault)),
    ).toHaveLength(4)
  })

  it('is refused with open fuses, without a commit, with an archive that was changed', async () => {
    const { program, archive } = await appFor({ platform: 'darwin', arch: 'arm64' }, undefined, null)
    expect((await examine(folder)).faults).toEqual(
      expect.arrayContaining([
        'the fuse OnlyLoadAppFromAsar stands otherwise',
        'it does not say of which commit it is made',
      ]),
    )
    await setFuses(program, 'darwin')
    const sources = join(folder, 'sources')
    writeFileSync(join(sources, 'more.js'), 'more()')
    await createPackageWithOptions(sources, archive, { unpack: unpackedFiles })
    uncache(archive)
    expect((await examine(folder)).faults).toContain('the archive is not the one that the program knows')
  })

  it('is refused where its native parts are missing or inside the archive', async () => {
    const { archive } = await appFor({ platform: 'linux', arch: 'x64' })
    await createPackageWithOptions(join(folder, 'sources'), archive, {})
    uncache(archive)
    rmSync(`${archive}.unpacked`, { recursive: true })
    mkdirSync(`${archive}.unpacked`)
    const { faults } = await examine(folder)
    expect(faults).toContain('the native part of the keychain is missing')
    expect(faults.some((fault) => fault.endsWith('keytar.node is inside the archive'))).toBe(true)
  })
})
