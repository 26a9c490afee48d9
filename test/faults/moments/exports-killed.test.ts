import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { checkZip } from '#main/files/zip.ts'
import { openSession } from '#main/database/store-session.ts'
import { rowsFormats } from '#shared/archives/rows.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { folderForAll } from '#test/src-main/database/helpers.ts'
import { endings } from './endings.ts'
import type { Place } from './endings.ts'
import type { ExportingOrders } from './exporting-work.ts'
import { killAtMoments } from './killing.ts'
import { openSaver, readRowsIn } from './saver.ts'

type Files = ReadonlyMap<string, Buffer>

/** What lies in a place under the names of finished files. */
const filesIn = (folder: string): Files =>
  new Map(
    readdirSync(join(folder, 'Downloads'))
      .filter((each) => !each.startsWith('.') && !each.endsWith('.part'))
      .map((each) => [each, readFileSync(join(folder, 'Downloads', each))] as const),
  )

function foldersIn(folder: string): void {
  for (const name of ['Downloads', 'profile']) mkdirSync(join(folder, name))
  syncFolder(folder)
}

const work = folderForAll()
let reading: ReturnType<typeof readRowsIn> | undefined
const read = () => (reading ??= readRowsIn(work))

/** Saves a file of each kind. @returns what lay there once they were said to be saved, and what is left of that */
async function saveEach({ folder, lose }: Place): Promise<{ readonly said: Files; readonly left: Files }> {
  foldersIn(folder)
  const saver = openSaver(work, join(folder, 'Downloads'), await read())
  const { rows, table, groups, pack, unreadable, list, chart } = saver
  const names: string[] = []
  for (const save of [
    ...[...rowsFormats.map(rows), pack, unreadable, list, groups('csv'), table('csv'), table('xlsx'), chart],
  ])
    names.push(await save())
  await saver.close()
  const said = filesIn(folder)
  expect([...said.keys()].sort()).toEqual(names.sort())
  lose()
  return { said, left: filesIn(folder) }
}

const all = endings(3, 100)
/** Where power can be cut, a kill shows nothing besides. */
const last = all.slice(-1)
let saving: ReturnType<typeof saveEach> | undefined
const savedOnce = () => (saving ??= saveEach(last[0]?.place() ?? expect.unreachable()))

it.each(last)('each file is whole once it is said to be saved: $ending', async () => {
  const { said, left } = await savedOnce()
  expect([...said].filter(([name, bytes]) => !left.get(name)?.equals(bytes)).map(([name]) => name)).toEqual(
    [],
  )
})

it.each(all)(
  '$ending at $moments random moments of saving files and backups, what has its name is whole',
  async ({ ending, moments, place }) => {
    const { said: whole } = await savedOnce()
    const { folder, lose } = place()
    foldersIn(folder)
    const orders = { folder, work, read: await read() }
    let restored = 0
    const random = randomFrom(seed)
    const hits = await killAtMoments<ExportingOrders>({
      ...{ worker: 'exporting-work.ts', moments, random },
      ordersOf: (moment) => ({ ...orders, from: moment * 3 }),
      check: async ({ stored, refused }) => {
        lose()
        expect(refused).toEqual([])
        const files = filesIn(folder)
        for (const [name, found] of files) {
          // They name moments.
          if (/\.(?:xlsx|zip)$/.test(name)) await checkZip(join(folder, 'Downloads', name))
          else
            expect(found.equals(whole.get(name.replace(/ \(\d+\)(?=\.\w+$)/, '')) ?? Buffer.of())).toBe(true)
        }
        const session = openSession(join(folder, 'profile'))
        expect(session.opening).toMatchObject({ kind: 'ready' })
        if (session.opening.kind === 'ready' && session.opening.news)
          expect(session.opening.news).toMatchObject({ kind: 'moved' })
        const set = Number(session.run('settings/read', undefined).lastView ?? 0)
        session.close()
        expect(set).toBeGreaterThanOrEqual(restored)
        // The process that wrote it has its type.
        for (const each of stored.map(
          (text) => JSON.parse(text) as { number: number; file: string | null },
        )) {
          if (each.file !== null) expect([...files.keys()]).toContain(each.file)
          else {
            restored = Math.max(restored, each.number)
            expect(set === each.number || set > each.number + 0.5).toBe(true)
          }
        }
        for (const each of readdirSync(join(folder, 'Downloads'))) rmSync(join(folder, 'Downloads', each))
      },
    })
    console.log(`saving files, ${ending}: PROPERTY_SEED=${seed}`, hits)
  },
  runs(120_000, 2_700_000),
)
