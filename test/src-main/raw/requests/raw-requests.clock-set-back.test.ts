import { describe, expect, it } from 'vitest'
import { firstId } from '#test/src-main/database/helpers.ts'
import { AskedService } from './asked-service.ts'
import { TickingClock } from './ticking-clock.ts'
import { settled, harnessOver } from './harness.ts'

/** Far more lists than anything here needs: whoever fetches so many would not end. */
const maxLists = 20

/** Asking beside somebody who tells of every list that was fetched, as the watcher does. */
async function harnessThatReports() {
  const clock = new TickingClock()
  const service = new AskedService(clock)
  let lists = 0
  const refresh = async () => {
    const list = await service.refresh()
    lists += 1
    if (lists < maxLists) setImmediate(() => harness.listed(firstId))
    return list
  }
  const { known, accepted, client } = service
  const harness = await harnessOver({ known, accepted, client, refresh }, { clock })
  /** Everything that follows from a list has happened. */
  const followed = async () => {
    for (let round = 0; round <= maxLists; round += 1) {
      await settled()
      await harness.asking.atRest()
    }
  }
  return { ...harness, service, followed, lists: () => lists }
}

describe('a clock that is set back', () => {
  it('has a request that waits for room ask for one list, not for one after the other', async () => {
    const { ask, listed, service, queue, clock, followed, lists } = await harnessThatReports()
    service.limits = { ...service.limits, api_concurrent: 1 }
    await ask({ name: 'A' })
    expect(await ask({ name: 'B' })).toMatchObject({ kind: 'queued' })
    await followed()
    const before = lists()
    clock.move(-3_600_000)
    listed(firstId)
    await followed()
    expect(lists() - before).toBeLessThanOrEqual(2)
    expect(await queue()).toEqual(['B: concurrent'])
    service.finish()
    await service.refresh()
    listed(firstId)
    await followed()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'B'])
  })
})
