/** By the numbers that each format has for processors. @type {Readonly<Record<string, Readonly<Record<number, string>>>>} */
const machines = {
  linux: { 0x3e: 'x64', 0xb7: 'arm64' },
  win32: { 0x8664: 'x64', 0xaa64: 'arm64' },
  darwin: { 0x01000007: 'x64', 0x0100000c: 'arm64' },
}

/**
 * For which system a program or library was built, by the numbers that its file begins with.
 *
 * @param {Buffer} file its beginning, 4 KB of it at least
 * @returns {{ platform: string, arch: string } | undefined} undefined for what is no such file
 */
export function systemOf(file) {
  if (file.length < 64) return undefined
  // ELF of 64 bits, in the order of bytes that all processors here have.
  if (file.readUInt32BE(0) === 0x7f454c46 && file.readUInt8(4) === 2)
    return system('linux', file.readUInt16LE(18))
  if (file.readUInt32LE(0) === 0xfeedfacf) return system('darwin', file.readUInt32LE(4))
  // Several in one file, for each processor of macOS.
  if (file.readUInt32BE(0) === 0xcafebabe) return { platform: 'darwin', arch: 'universal' }
  if (file.toString('latin1', 0, 2) === 'MZ') {
    const at = file.readUInt32LE(60)
    if (at + 6 <= file.length && file.toString('latin1', at, at + 4) === 'PE\0\0')
      return system('win32', file.readUInt16LE(at + 4))
  }
  return undefined
}

/**
 * @param {string} platform
 * @param {number} machine
 */
const system = (platform, machine) => ({
  platform,
  arch: machines[platform]?.[machine] ?? `processor ${machine.toString(16)}`,
})
