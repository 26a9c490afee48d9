import type { ServiceClient } from '../../../../src-main/service/client.ts'
import type { RawDraftFilter } from '../../../../src-shared/raw/draft.ts'
import type { RawFilter } from '../../../../src-shared/service/parameters.ts'
import type { InstanceId } from '../../../../src-shared/values/ids.ts'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'

/** A sandbox without limits to what may be asked for, a client of it, and an instance of which reports may be. */
export type TirelessSandbox = {
  readonly sandbox: RunningSandbox
  readonly client: ServiceClient
  readonly instance: InstanceId
}

export async function tirelessSandbox(): Promise<TirelessSandbox> {
  const sandbox = await runningSandbox()
  await sandbox.behave({ raw: { minutes: 1_000_000, atOnce: 1_000_000, secondsPerMinute: 1 } })
  const client = sandbox.client()
  const { answer } = await client.call('interface/instances', { all: false, limit: 100 })
  const last = answer.instances.at(-1)?.id
  if (last === undefined) throw new Error('The sandbox has no instance')
  return { sandbox, client, instance: last }
}

/** A filter exactly as it was filled in: what the form would leave out is sent too. */
export const asFilledIn = ({ column, operator, value }: RawDraftFilter): RawFilter => ({
  column,
  ...(operator !== null && { operator }),
  ...(value !== '' && { value }),
})
