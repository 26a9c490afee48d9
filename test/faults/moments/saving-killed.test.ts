import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openHandle } from '#main/database/sqlite/database.ts'
import { chosenFile } from '#main/database/state/moving.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { openSession } from '#main/database/store-session.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { choose } from '#test/src-main/backup/made-backups.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { endings } from './endings.ts'
import { killAtMoments } from './killing.ts'

type Stored =
  | { readonly is: 'set' | 'saved'; readonly number: number }
  | { readonly is: 'backup'; readonly number: number; readonly file: string }

it.each(endings(10, 100))(
  '$ending at $moments random moments of saving, what has its name is whole, and what was said to be kept is there',
  async ({ ending, moments, place }) => {
    const { folder, lose } = place()
    const [profile, saved] = [join(folder, 'profile'), join(folder, 'saved')]
    for (const each of [profile, saved]) mkdirSync(each)
    syncFolder(folder)
    let latest = 0
    const random = randomFrom(seed)
    const hits = await killAtMoments({
      ...{ worker: 'saving-work.ts', moments, random },
      ordersOf: () => ({ folder, from: latest + 1 }),
      check: async ({ stored, refused }) => {
        lose()
        expect(refused).toEqual([])
        const names = readdirSync(saved).filter((name) => !name.startsWith('.'))
        const backedUp = new Map<string, number>()
        for (const name of names) {
          const number = Number(/^Text (\d+)\./.exec(name)?.[1] ?? (await settingIn(join(saved, name))))
          if (name.startsWith('Text ')) expect(isTextOf(join(saved, name), number)).toBe(true)
          else backedUp.set(name, number)
          latest = Math.max(latest, number)
        }
        const session = openSession(profile)
        expect(session.opening).toEqual({ kind: 'ready', news: null })
        const set = Number(session.run('settings/read', undefined).lastView)
        session.close()
        // The process that wrote it has its type.
        for (const each of stored.map((text) => JSON.parse(text) as Stored)) {
          if (each.is === 'backup') expect(backedUp.get(each.file)).toBe(each.number)
          else if (each.is === 'saved') expect(names).toContain(`Text ${each.number}.txt`)
          else expect(set).toBeGreaterThanOrEqual(each.number)
        }
        for (const name of backedUp.keys()) rmSync(join(saved, name))
        latest = Math.max(latest, set)
      },
    })
    console.log(`saving, ${ending}: PROPERTY_SEED=${seed}`, hits)
  },
  runs(120_000, 2_700_000),
)

const isTextOf = (file: string, number: number): boolean =>
  readFileSync(file, 'utf8') === `${number}\n`.repeat(20_000)

/** The number that a backup holds, which is whole. */
async function settingIn(file: string): Promise<number> {
  const folder = temporaryFolder()
  await choose(folder, file)
  const handle = openHandle(chosenFile(folder), { readonly: true })
  const value = handle.prepare("SELECT value FROM settings WHERE key = 'lastView'").pluck().get()
  handle.close()
  return Number(JSON.parse(String(value)))
}
