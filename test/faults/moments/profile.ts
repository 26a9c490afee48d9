import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import { openSession } from '#main/database/store-session.ts'
import { storeOver, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { faultsOf, filesIn, readManifestIn } from '#test/src-main/publishing/team-share.ts'
import { engineChannelOf, firstFetched, place, publishTo, rootIn } from './histories.ts'
import type { Fetched } from './histories.ts'
import { expectNoneLost, expectRestatementsOf, startAgain, wholeDays } from './kept-days.ts'
import type { KeepingOrders } from './keeping-work.ts'
import type { Said } from './killing.ts'
import { accountsOfScope, historyOver } from '#test/src-main/reports/history/history-over.ts'

/** So often the same folder is used: afterwards its days have changed more often than is told at once. */
const momentsOfFolder = 25

/** A profile in which days are kept by processes that are killed, and looked at in between. */
export class Profile {
  readonly folder: string
  readonly share: string
  readonly #kind: KeepingOrders['kind']
  readonly #engine: Engine
  readonly #said: Fetched[] = []
  #moments = 0
  #latest = firstFetched

  constructor(kind: KeepingOrders['kind'], folder = temporaryFolder(), share = temporaryFolder()) {
    this.folder = folder
    this.share = share
    this.#kind = kind
    const root = rootIn(folder)
    this.#engine = startEngine({ open: () => engineChannelOf(root), idle: 600_000 })
    onTestFinished(() => this.#engine.close())
  }

  get isUsedUp(): boolean {
    return this.#moments >= momentsOfFolder
  }

  /** The folder in which it is published. */
  get published(): string {
    return join(this.share, 'traffic-desk-history', 'account=Kestrel-Media')
  }

  /** Orders for one of several processes that work at the same time. */
  ordersFor(random: () => number, nth = 0, of = 1): KeepingOrders {
    const seed = Math.floor(random() * 2 ** 31)
    const { folder, share } = this
    return { kind: this.#kind, folder, share, from: this.#latest + 1 + nth, step: of, seed }
  }

  /** Nothing is half there, nothing that was said to be kept is lost, and it goes on from here. */
  async check({ stored, refused }: Pick<Said, 'stored' | 'refused'>): Promise<void> {
    this.#moments += 1
    for (const { failure } of refused) expect(failure).toBe('disk')
    // It is written as it is read: the processes of these tests do both.
    this.#said.push(...stored.map((text) => JSON.parse(text) as Fetched))
    const { open, close } = this.#open()
    expectNoneLost(await wholeDays(open), this.#said)
    const days = await startAgain(open, this.folder)
    expectNoneLost(days, this.#said)
    if (this.#kind === 'restatement') await expectRestatementsOf(open, days, this.#said)
    if (existsSync(join(this.published, 'manifest.json'))) expect(faultsOf(this.published)).toEqual([])
    this.#latest = Math.max(this.#latest, ...days.map(({ fetchedAt }) => fetchedAt))
    for (const { fetchedAt } of this.#said) this.#latest = Math.max(this.#latest, fetchedAt)
    await close()
  }

  /** Publishes to the end: every day that is kept is there, and nothing else. */
  async publish(): Promise<void> {
    const { open, close } = this.#open()
    await open.history.rewriteReplaced(place.dataScope)
    const { store, root } = open
    expect(await publishTo(this, { store, root })).toMatchObject({ leftOut: 0 })
    const { files, pending } = readManifestIn(this.published)
    expect(pending).toEqual([])
    expect(faultsOf(this.published)).toEqual([])
    expect(filesIn(this.published)).toEqual([...files.map(({ path }) => path), 'manifest.json'].sort())
    expect(files.reduce((sum, { days }) => sum + days.length, 0)).toBe((await wholeDays(open)).length)
    await close()
  }

  #open() {
    const session = openSession(this.folder)
    expect(session.opening).toEqual({ kind: 'ready', news: null })
    const [store, root, engine] = [
      withDataScopes(storeOver(session), place.dataScope),
      rootIn(this.folder),
      this.#engine,
    ]
    const accounts = accountsOfScope(place.dataScope, () => ({ dayZone: 'UTC' }))
    const history = historyOver({ store, engine, historyFolder: root, accounts })
    return { open: { store, root, engine, history }, close: store.close }
  }
}
