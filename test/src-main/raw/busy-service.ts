import { onTestFinished } from 'vitest'
import { dayAt } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'

/**
 * A sandbox that makes many reports at once, on the day it is for the processes beside it; a client of it, and an
 * instance of its. It ends with the test.
 */
export async function busyService() {
  const today = dayAt(Date.now(), 'UTC')
  const service = await runningSandbox(today)
  onTestFinished(() => service.close())
  await service.behave({ raw: { concurrency: 1000, minutes: 100_000 } })
  const client = service.client()
  const [instance] = (await client.call('interface/instances', { all: false, limit: 1 })).answer.instances
  if (!instance) throw new Error('The sandbox has no instance')
  return { service, client, today, instance: instance.id }
}
