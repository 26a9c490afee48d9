import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openHandle } from '#main/database/sqlite/database.ts'
import { isSound } from '#main/database/sqlite/open-file.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { openSession } from '#main/database/store-session.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { endings } from './endings.ts'
import { killAtMoments } from './killing.ts'

type Stored = { readonly is: 'set' | 'saved' | 'backup'; readonly number: number }

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
      check: ({ stored, refused }) => {
        lose()
        expect(refused).toEqual([])
        const names = readdirSync(saved).filter((name) => !name.startsWith('.'))
        for (const name of names) {
          const number = Number(/ (\d+)\./.exec(name)?.[1])
          if (name.startsWith('Text ')) expect(isTextOf(join(saved, name), number)).toBe(true)
          else expect(settingIn(join(saved, name))).toBe(number)
          latest = Math.max(latest, number)
        }
        const ignore = () => undefined
        const session = openSession({ folder: profile, onState: ignore, onCache: ignore })
        expect(session.opening).toEqual({ kind: 'ready', news: null })
        const set = Number(session.run('settings/read', undefined).lastView)
        session.close()
        // The process that wrote it has its type.
        for (const { is, number } of stored.map((text) => JSON.parse(text) as Stored)) {
          if (is === 'set') expect(set).toBeGreaterThanOrEqual(number)
          else expect(names).toContain(is === 'saved' ? `Text ${number}.txt` : `Backup ${number}.sqlite`)
        }
        latest = Math.max(latest, set)
        return Promise.resolve()
      },
    })
    console.log(`saving, ${ending}: PROPERTY_SEED=${seed}`, hits)
  },
  runs(120_000, 600_000),
)

const isTextOf = (file: string, number: number): boolean =>
  readFileSync(file, 'utf8') === `${number}\n`.repeat(20_000)

/** The number that a backup holds; it is sound. */
function settingIn(file: string): number {
  const handle = openHandle(file, { readonly: true })
  const value = handle.prepare("SELECT value FROM settings WHERE key = 'lastView'").pluck().get()
  handle.close()
  expect(isSound(file)).toBe(true)
  return Number(JSON.parse(String(value)))
}
