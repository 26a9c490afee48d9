import { describe, expect, it } from 'vitest'
import { outdatedPackages } from '../../scripts/setup/installed-packages.mjs'

const rest = {
  'node_modules/one': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/two': { version: '2.0.0', integrity: 'sha512-b' },
}
const lock = {
  packages: {
    '': { version: '0.1.0' },
    ...rest,
    'node_modules/for-macs': { version: '3.0.0', integrity: 'sha512-c', optional: true },
  },
}

describe('outdatedPackages', () => {
  it('is content with all but the optional ones', () => {
    expect(outdatedPackages(lock, { packages: rest })).toEqual([])
  })

  it('names what is missing', () => {
    expect(outdatedPackages(lock, { packages: { 'node_modules/one': rest['node_modules/one'] } })).toEqual([
      'node_modules/two',
    ])
  })

  it('names what has another version', () => {
    const installed = {
      packages: { ...rest, 'node_modules/one': { version: '1.0.1', integrity: 'sha512-a' } },
    }
    expect(outdatedPackages(lock, installed)).toEqual(['node_modules/one'])
  })

  it('names what has the same version and other contents', () => {
    const installed = {
      packages: { ...rest, 'node_modules/one': { version: '1.0.0', integrity: 'sha512-x' } },
    }
    expect(outdatedPackages(lock, installed)).toEqual(['node_modules/one'])
  })

  it('names an optional package of another version', () => {
    const installed = { packages: { ...rest, 'node_modules/for-macs': { version: '2.9.9' } } }
    expect(outdatedPackages(lock, installed)).toEqual(['node_modules/for-macs'])
  })

  it('takes an empty record for nothing installed', () => {
    expect(outdatedPackages(lock, {})).toEqual(['node_modules/one', 'node_modules/two'])
  })
})
