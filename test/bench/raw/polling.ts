import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServiceClient } from '#main/api/client.ts'
import { rawContext } from '#test/src-main/raw/raw-context.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { AccessToken } from '#main/api/token.ts'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import { openStore } from '#main/database/open-store.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { deskFolder, temporaryFolder } from '../measure/desk.ts'
import { median, quantile } from '../measure/figures.ts'
import { spread } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { fake } from '#test/helpers/fake.ts'

const REPORTS = 500
const LOOKS = 100
/** The first looks load and warm what all later ones use. */
const FIRST = 10
/** Milliseconds. */
const REACH = 20
/** Milliseconds between two looks. */
const PAUSE = 50

const account = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Bench',
  kind: 'service' as const,
  ...{ bodyEncoding: 'json' as const, dayZone: 'UTC', windows: noWindows, firstColumn: null },
}

/**
 * A look at a list of 500 reports, of which some have ended since the last one: asked for over loopback, decoded, compared
 * and kept by the store's own thread, as the built app does it.
 */
export async function polling(): Promise<readonly Target[]> {
  const service = spawn(process.execPath, [join(import.meta.dirname, 'list-service.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(service.stdout, 'data', { signal: AbortSignal.timeout(20_000) })) as [Buffer]
  const looks = await look(line.toString().trim())
  service.kill()
  const target = (what: string, figures: readonly number[], share: number): Target => ({
    what,
    measured: spread(figures, 'ms', median(figures)),
    against: share === 0.5 ? 'median' : '95 of 100',
    figure: quantile(figures, share),
    reach: { kind: 'most', value: REACH, unit: ' ms' },
  })
  return [
    target(`A look at ${REPORTS} reports, kept and compared`, looks.took, 0.5),
    target('Main loop held up by it at the longest', looks.held, 0.95),
  ]
}

async function look(address: string) {
  const folder = temporaryFolder('polling')
  const store = openStore({ folder, worker: join(deskFolder, 'out/main/store-worker.cjs') })
  const connected = { ...account, address, tokenPlace: 'keychain' as const }
  await store.run('accounts/put', { ...account, address })
  const client = createServiceClient({
    address,
    token: () => Promise.resolve(new AccessToken('a'.repeat(32), address)),
    bodyEncoding: 'json',
  })
  const reports = new RawReports(
    rawContext({
      ...{ store, folder, random: randomFrom(1) },
      accounts: fake<Accounts>('accounts', {
        account: () => connected,
        list: () => [connected],
        clientFor: () => Promise.resolve(client),
      }),
      news: { announce: (_, handing) => Promise.resolve(handing()) },
    }),
  )
  const took: number[] = []
  const held: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  for (let turn = 0; turn < FIRST + LOOKS; turn += 1) {
    await sleep(PAUSE)
    delay.reset()
    delay.enable()
    const began = performance.now()
    const { rows } = await reports.fresh(account.id)
    if (turn >= FIRST) took.push(performance.now() - began)
    delay.disable()
    if (turn >= FIRST) held.push(delay.max / 1e6)
    if (rows.length !== REPORTS) throw new Error(`${rows.length} reports came`)
  }
  await reports.stop()
  await client.close()
  await store.close()
  return { took, held }
}
