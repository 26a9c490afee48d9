import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFaults } from '../../../scripts/packaging/artefact/start.mjs'
import { versionOfSources } from '../../../scripts/packaging/description.mjs'

const version = versionOfSources()
const commit = 'c0ffeec0ffeec0ffeec0ffee'

// A script is no program on Windows.
describe.skipIf(process.platform === 'win32')('a packaged program that is started', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'start-test-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  function programThat(does: string): string {
    const program = join(folder, 'traffic-desk')
    writeFileSync(program, `#!/bin/sh\n${does}\n`)
    chmodSync(program, 0o755)
    return program
  }
  const says = (words: string) => programThat(`test "$1" = --version && echo '${words}'`)

  it('says the version and the commit that it is made of', () => {
    const well = says(`Traffic Desk ${version}, commit c0ffeec0ffee`)
    expect(startFaults(well, { version, commit })).toEqual([])
    const marked = `${version}-not-for-people`
    expect(
      startFaults(says(`Traffic Desk ${marked}, commit c0ffeec0ffee`), { version: marked, commit }),
    ).toEqual([])
  })

  it('is refused where it does not start, fails, or says something else', () => {
    expect(startFaults(join(folder, 'none'), { version, commit })[0]).toMatch(/did not start/)
    expect(startFaults(programThat('exit 3'), { version, commit })).toEqual([
      'it ended with 3',
      expect.stringContaining('it says “”'),
    ])
    const other = says('Traffic Desk 9.9.9, commit c0ffeec0ffee')
    expect(startFaults(other, { version, commit })).toHaveLength(1)
    expect(startFaults(other, { version: '9.9.9', commit })).toEqual([
      `it is 9.9.9, the sources are ${version}`,
    ])
  })
})
