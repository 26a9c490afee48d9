import type { CampaignsAnswer, Instance, InstancesAnswer, SourcesAnswer } from '#shared/api/answers.ts'
import { instanceId } from '#shared/values/ids.ts'
import { malformed } from '../service-failure.ts'
import { decodeText } from '../text.ts'
import { decodePagedEcho, decodeMembers, list, members, numberOf, text } from './members.ts'
import type { Members } from './members.ts'

const knownOfInstance = new Set(['id', 'name', 'status'])

/** One instance. An id that is no whole number marks the entry for all of them (specification: instance). */
function instanceOf(value: unknown): Instance {
  const found = members(value, 'an instance')
  const id = instanceId(typeof found['id'] === 'string' ? decodeText(found['id']) : found['id'])
  if (id === undefined) throw malformed('an instance has no id')
  return {
    id,
    name: text(found['name'], 'the name of an instance'),
    status: numberOf(found['status']) ?? null,
    all: !/^-?\d+$/.test(id),
    unknown: decodeMembers(found, knownOfInstance),
  }
}

/** An id that comes as a number and again as text is the same instance (field notes: values). */
function eachOnce(instances: readonly Instance[]): Instance[] {
  return [...new Map(instances.map((instance) => [instance.id, instance])).values()]
}

export function decodeInstances(answer: Members): InstancesAnswer {
  return {
    instances: eachOnce(list(answer['instances'], 'instances').map(instanceOf)),
    query: decodePagedEcho(answer['query']),
  }
}

export function decodeSources(answer: Members): SourcesAnswer {
  return {
    sources: list(answer['sources'], 'sources').map((source) => text(source, 'a source')),
    query: decodePagedEcho(answer['query']),
  }
}

export function decodeCampaigns(answer: Members): CampaignsAnswer {
  return {
    campaigns: list(answer['campaigns'], 'campaigns').map((campaign) => text(campaign, 'a campaign')),
    query: decodePagedEcho(answer['query']),
  }
}
