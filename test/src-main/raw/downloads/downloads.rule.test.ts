import { describe, expect, it } from 'vitest'
import { account, hasEnded, namesIn } from './helpers.ts'
import type { TestDownloads } from './helpers.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()
const { desk } = ready

describe('the rule of saving', () => {
  const tell = (made: TestDownloads) =>
    made.downloads.reportReady(account().id, {
      id: ready.record.id,
      name: 'Everything',
      expires: ready.record.expires,
    })

  it.each([
    ['all', null, true],
    ['none', { save: true }, false],
    ['templates', { save: true }, true],
    ['templates', { save: false }, false],
    ['templates', null, false],
  ] as const)('%s with the template %j: %s', async (saving, template, saved) => {
    const stored = localStore()
    const run = ((name, argument) =>
      name === 'raw-templates/of-report'
        ? Promise.resolve(template)
        : stored.run(name, argument)) as typeof stored.run
    const made = await desk({ raw: { saving }, store: { ...stored, run } })
    await tell(made)
    const list = await made.downloads.list()
    expect(list.map(({ name }) => name)).toEqual(saved ? ['Everything'] : [])
  })

  it('saves a report once, however often it is told', async () => {
    const made = await desk()
    await Promise.all([tell(made), tell(made)])
    const [only] = await made.downloads.list()
    if (!only) throw new TypeError('Nothing was started')
    await made.until(only.id, hasEnded)
    await tell(made)
    expect(await made.downloads.list()).toHaveLength(1)
    expect(namesIn(made.folder)).toHaveLength(1)
  })
})
