import type { InstanceId } from '#shared/values/ids.ts'
import type { SandboxRequest } from '../contracts/handler.ts'
import { hashText } from '../events/random.ts'

/** A number that one request has and another one most likely has not; the same request always has the same. */
export const fingerprint = (request: Pick<SandboxRequest, 'path' | 'parameters'>): number =>
  hashText(`${request.path} ${JSON.stringify(request.parameters)}`)

/** An instance's id as the behaviour writes it: a number in one answer, and a string in the next where mixed. */
export function wireId(id: InstanceId, request: SandboxRequest): number | string {
  switch (request.behaviour.instanceIds) {
    case 'number':
      return Number(id)
    case 'text':
      return id
    case 'mixed':
      return fingerprint(request) % 2 === 0 ? Number(id) : id
  }
}
