import { writeFileSync } from 'node:fs'
import type * as FileSystem from 'node:fs/promises'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { expect, it, vi } from 'vitest'
import { soundFindings } from '#shared/cases/case.ts'
import { deskFailure, failureOf } from '#shared/api/failure.ts'
import { readPrintAddress } from '#shared/exports/paper.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { account } from '../archives/open-rows.ts'
import { entry, events, openService, wide, zone } from './made-service.ts'

/** What happens between two steps of a pack. */
const between = vi.hoisted(() => ({ step: async () => {} }))

// Each call of the file system is a moment at which something else may happen.
vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof FileSystem>()
  const stepping =
    <A extends readonly unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await between.step()
      return await call(...given)
    }
  return { ...actual, mkdir: stepping(actual.mkdir), writeFile: stepping(actual.writeFile) }
})

/** The suspect requests of a case as each of its files tells them. */
async function toldIn(files: ReadonlyMap<string, Buffer>) {
  const fileOf = (ending: string) =>
    [...files].find(([name]) => name.endsWith(ending))?.[1] ?? Buffer.alloc(0)
  const sheets = await readSheets(fileOf('.xlsx'))
  const figures = sheets.find(({ sheet }) => sheet === 'Figures')?.data ?? []
  return {
    pdf: fileOf('.pdf').toString(),
    workbook: `%PDF ${String(figures.find(([name]) => name === 'Suspect')?.[1])}`,
  }
}

it('is of one update, or is not saved and says why, whenever its case is updated meanwhile', async () => {
  let [suspects, time] = [0, Date.parse('2026-11-22')]
  const service = await openService(events, {
    zone,
    suspects: () => suspects,
    more: {
      now: () => time,
      // As the page does: it reads the case, and refuses another update than it is asked for.
      print: async (address) => {
        await between.step()
        const { made } = await service.cases.read(of)
        await between.step()
        const found = soundFindings({ made })
        const { madeAt = null } = readPrintAddress(address) ?? {}
        if (madeAt !== null && found?.madeAt !== madeAt) throw deskFailure('invalid', changedMeanwhile)
        const suspect = found?.now?.figures.find(({ header }) => header === 'Suspect')
        return new TextEncoder().encode(`%PDF ${suspect?.value}`)
      },
    },
  })
  const files = [await service.importArchive('a', { instance: '7', range: wide })]
  const { cases, folder } = service
  const { id } = await cases.begin({ account: account.id, entry: { ...entry, files }, fitting: false })
  const of = { account: account.id, id }
  await cases.make(of)
  const outcomes: string[] = []
  for (let moment = 0, isOver = false; !isOver; moment += 1) {
    await cases.save(of)
    let steps = 0
    between.step = async () => {
      if (steps++ !== moment) return
      suspects += 1
      time += 60_000
      await cases.make(of)
    }
    const out = join(folder, 'pack.zip')
    writeFileSync(out, '')
    // Progress is told to whoever listens, and waits for nobody.
    const behind: Promise<void>[] = []
    const step = () => void behind.push(between.step())
    const written = service.exported.at(-1)?.write(out, new AbortController().signal, step)
    const failure = await written?.then(() => null, failureOf)
    await Promise.all(behind)
    between.step = async () => {}
    isOver = steps <= moment
    outcomes.push(failure ? failure.message : 'saved')
    if (failure) continue
    const { pdf, workbook } = await toldIn(await filesInZip(out))
    expect(pdf, `updated at moment ${moment}`).toBe(workbook)
  }
  expect(outcomes.length).toBeGreaterThan(4)
  expect(new Set(outcomes)).toEqual(new Set([changedMeanwhile, 'saved']))
  expect(outcomes.at(-1)).toBe('saved')
})
