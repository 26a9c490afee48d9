import { queryOptions } from '@tanstack/svelte-query'
import { limits } from '#shared/api/limits.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { answerOf } from './answers.ts'

/** The instances that the token may see: the first page, which is as large as there is. */
export const firstInstances = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['lookups', account, 'instances'],
    queryFn: async () => {
      const params = { account, name: null, page: 1, limit: limits.rowsPerPage }
      return (await answerOf(bridge.call('lookups/instances', params))).answer.instances
    },
    gcTime: 0,
  })
