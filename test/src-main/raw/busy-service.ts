import { onTestFinished } from 'vitest'
import { runningSandbox } from '../../helpers/running-sandbox.ts'

/** A sandbox that makes many reports at once, a client of it, and an instance of its; it ends with the test. */
export async function busyService() {
  const service = await runningSandbox()
  onTestFinished(() => service.close())
  await service.behave({ raw: { atOnce: 1000, minutes: 100_000 } })
  const client = service.client()
  const [instance] = (await client.call('interface/instances', { all: false, limit: 1 })).answer.instances
  if (!instance) throw new Error('The sandbox has no instance')
  return { service, client, instance: instance.id }
}
